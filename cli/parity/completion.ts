/** Completion scripts for shells, made from the tables of flags: a flag that is new is completed at once. Pure. */
import type { FlagTable } from './flag.ts';
import { optionName } from './flag.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** What is completed: each command with its flags. */
export type Commands = Readonly<Record<string, FlagTable>>;

export function completionScript(shell: Shell, commands: Commands): string {
  return { bash, zsh, fish }[shell](commands);
}

const namesOf = (commands: Commands): string => Object.keys(commands).join(' ');
const flagsOf = (table: FlagTable): readonly string[] => [...Object.keys(table).map(optionName), '--help'];

/** Values of flags that take one of a few, as cases of a shell. */
function choicesIn(commands: Commands, asCase: (flags: string, values: string) => string): readonly string[] {
  const byValues = new Map<string, Set<string>>();
  for (const table of Object.values(commands))
    for (const [name, { choices }] of Object.entries(table)) {
      if (choices === undefined) continue;
      const values = choices.join(' ');
      byValues.set(values, (byValues.get(values) ?? new Set()).add(optionName(name)));
    }
  return [...byValues].map(([values, flags]) => asCase([...flags].join('|'), values));
}

/** Flags whose value is anything but a file or a choice: nothing can be offered for them. */
const freeFlags = (commands: Commands): readonly string[] => [
  ...new Set(
    Object.values(commands).flatMap((table) =>
      Object.entries(table)
        .filter(([, { value, choices, isFile }]) => value !== undefined && choices === undefined && isFile !== true)
        .map(([name]) => optionName(name)),
    ),
  ),
];
const fileFlags = (commands: Commands): readonly string[] => [
  ...new Set(
    Object.values(commands).flatMap((table) =>
      Object.entries(table)
        .filter(([, { isFile }]) => isFile === true)
        .map(([name]) => optionName(name)),
    ),
  ),
];

function bash(commands: Commands): string {
  const offered = Object.entries(commands).map(
    ([name, table]) => `    ${name}) COMPREPLY=($(compgen -W '${flagsOf(table).join(' ')}' -- "$word")) ;;`,
  );
  return `# mcp-parity completion bash >> ~/.bashrc
_mcp_parity() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command=run each
  for each in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$each" in ${Object.keys(commands).join('|')}) command="$each"; break ;; esac
  done
  case "$before" in
${choicesIn(commands, (flags, values) => `    ${flags}) COMPREPLY=($(compgen -W '${values}' -- "$word")); return ;;`).join('\n')}
    completion) COMPREPLY=($(compgen -W '${SHELLS.join(' ')}' -- "$word")); return ;;
    ${fileFlags(commands).join('|')}) COMPREPLY=($(compgen -f -- "$word")); return ;;
    ${freeFlags(commands).join('|')}) return ;;
  esac
  if [[ "$word" != -* ]]; then
    if [[ $COMP_CWORD -eq 1 ]]; then COMPREPLY=($(compgen -W '${namesOf(commands)} --version --help' -- "$word"))
    else COMPREPLY=($(compgen -f -- "$word")); fi
    return
  fi
  case "$command" in
${offered.join('\n')}
  esac
}
complete -F _mcp_parity mcp-parity
`;
}

/** zsh runs completion scripts of bash, and so has the very same answers. */
const zsh = (commands: Commands): string => `# mcp-parity completion zsh >> ~/.zshrc
autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
${bash(commands).split('\n').slice(1).join('\n')}`;

function fish(commands: Commands): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
  const none = `not __fish_seen_subcommand_from ${namesOf(commands)}`;
  const lines = Object.entries(commands).flatMap(([command, table]) => [
    `complete -c mcp-parity -f -n ${quoted(none)} -a ${command}`,
    ...Object.entries(table).map(([name, { help, value, choices, isFile }]) => {
      const when = `__fish_seen_subcommand_from ${command}${command === 'run' ? `; or ${none}` : ''}`;
      const takes =
        value === undefined
          ? ''
          : choices !== undefined
            ? ` -x -a ${quoted(choices.join(' '))}`
            : isFile === true
              ? ' -r -F'
              : ' -x';
      return `complete -c mcp-parity -n ${quoted(when)} -l ${optionName(name).slice(2)}${takes} -d ${quoted(help)}`;
    }),
  ]);
  return `# mcp-parity completion fish > ~/.config/fish/completions/mcp-parity.fish
${lines.join('\n')}
complete -c mcp-parity -f -n '__fish_seen_subcommand_from completion' -a ${quoted(SHELLS.join(' '))}
`;
}
