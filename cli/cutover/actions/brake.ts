/** `brake`, `release` and `audit`: new sessions back on legacy at once, and who did what. */
import { Audit, BrakeAnswer, read, Status } from '../answers.ts';
import { whyOf, type ChangeFlags, type Context, type Done } from '../context.ts';
import { table, when } from '../table.ts';

export async function setBrake({ api, who }: Context, on: boolean, flags: ChangeFlags): Promise<Done> {
  const why = whyOf(flags);
  if (flags.dryRun === true) {
    const { brake } = read(Status, await api.get('/status'));
    const is = brake?.on === true ? 'on' : 'off';
    return {
      exitCode: 0,
      json: { dryRun: true, brake },
      text: `The brake is ${is}, and would be ${on ? 'on' : 'off'}. Nothing was changed.`,
    };
  }
  const { brake } = read(BrakeAnswer, await api.post('/brake', { on, who, why }));
  return {
    exitCode: 0,
    json: { dryRun: false, brake },
    text: brake.on
      ? 'The brake is on. Within seconds new sessions of 2025 clients begin on the legacy lane, whatever the flags say.'
      : 'The brake is off. New sessions follow the flags again.',
  };
}

export async function audit({ api }: Context, { limit }: { readonly limit: string }): Promise<Done> {
  const { entries } = read(Audit, await api.get(`/audit?limit=${encodeURIComponent(limit)}`));
  const rows = entries.map(({ at, who, action, detail, why }) => [
    when(at),
    who,
    action,
    JSON.stringify(detail),
    why ?? '',
  ]);
  return {
    exitCode: 0,
    json: { entries },
    text: rows.length === 0 ? 'Nothing was changed yet.' : table(['when', 'who', 'what', 'detail', 'why'], rows),
  };
}
