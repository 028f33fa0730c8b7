/** The page on which a user says what a client may do. Everything on it may come from the client, so all of it is escaped. */
import type { ConsentDescription } from '@cloudflare/workers-oauth-provider';

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

export function consentPage(details: ConsentDescription, handle: string): string {
  const name = escaped(details.clientName);
  const origin =
    details.clientDomain === undefined
      ? 'This application has registered itself; nobody has checked its name.'
      : `Published by <strong>${escaped(details.clientDomain)}</strong>.`;
  const scopes = details.scope.map((scope) => {
    const text = escaped(scope);
    return `<label><input type="checkbox" name="scope" value="${text}" checked> ${text}</label><br>`;
  });
  return `<!doctype html>
<meta charset="utf-8">
<title>Allow ${name}?</title>
<h1>Allow ${name} to use this server for you?</h1>
<p>${origin} Access goes to <strong>${escaped(details.redirectHost)}</strong>.</p>
${details.redirectIsLoopback ? '<p><strong>That is an application on your own computer.</strong> Go on only if you have just started it.</p>' : ''}
<form method="post">
<input type="hidden" name="handle" value="${escaped(handle)}">
${scopes.join('\n')}
<p><button name="decision" value="approve">Allow</button> <button name="decision" value="deny">Do not allow</button></p>
</form>`;
}
