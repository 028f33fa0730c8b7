/**
 * What a property means beyond its type, as far as its name or its description says: a date, a cron line, a colour, a
 * path, a locale. A text drawn by chance is none of these, and a tool that reads one would only ever refuse. Pure.
 */
import * as fc from 'fast-check';

interface Meaning {
  /** Against the words of the property's name, with spaces between and around them. */
  readonly name?: RegExp;
  readonly description?: RegExp;
  readonly make: () => fc.Arbitrary<string>;
}

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');
const some =
  (...values: readonly string[]): (() => fc.Arbitrary<string>) =>
  () =>
    fc.constantFrom(...values);
const parts = fc.record({
  year: fc.integer({ min: 1990, max: 2035 }),
  month: fc.integer({ min: 1, max: 12 }),
  day: fc.integer({ min: 1, max: 28 }),
  hour: fc.nat(23),
  minute: fc.nat(59),
  second: fc.nat(59),
});
const written = (template: string): fc.Arbitrary<string> =>
  parts.map(({ year, month, day, hour, minute, second }) =>
    template
      .replaceAll(/YYYY|yyyy/g, String(year))
      .replaceAll(/DD|dd/g, pad(day))
      .replaceAll(/HH|hh/g, pad(hour))
      // Minutes stand after hours, months after years.
      .replaceAll(/(\d\d:)(?:mm|MM)/g, `$1${pad(minute)}`)
      .replaceAll(/MM|mm/g, pad(month))
      .replaceAll(/SS|ss/g, pad(second)),
  );
const cron = fc
  .tuple(
    fc.oneof(fc.nat(59).map(String), fc.constantFrom('*', '*/5', '*/15', '0')),
    fc.oneof(fc.nat(23).map(String), fc.constantFrom('*', '*/2', '9-17')),
    fc.constantFrom('*', '1', '15', '*/10'),
    fc.constantFrom('*', '1', '6', '*/3'),
    fc.constantFrom('*', '0', '1-5', '6'),
  )
  .map((fields) => fields.join(' '));
const hex = (length: number): fc.Arbitrary<string> =>
  fc
    .array(fc.nat(15), { minLength: length, maxLength: length })
    .map((each) => each.map((digit) => digit.toString(16)).join(''));
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const jwt = ['{"alg":"HS256","typ":"JWT"}', '{"sub":"1234567890","name":"A Name","iat":1516239022}']
  .map((part) => Buffer.from(part).toString('base64url'))
  .concat('SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c')
  .join('.');

/** The first that fits wins, so what is narrow stands before what is wide. */
const MEANINGS: readonly Meaning[] = [
  {
    name: / cron /,
    description: /\bcron\b/i,
    make: () => cron,
  },
  { name: / (?:jwt|token) /, description: /\bJWT\b/, make: some(jwt) },
  {
    name: / (?:time ?zone|tz) /,
    description: /\b(?:IANA|time ?zone)\b/i,
    make: some('UTC', 'Asia/Tokyo', 'Europe/Berlin', 'America/New_York', 'Australia/Sydney', 'Asia/Kolkata'),
  },
  { name: / (?:u|gu)uid /, description: /\b(?:UUID|GUID)\b/, make: () => fc.uuid() },
  {
    name: / e ?mail /,
    description: /\be-?mail address\b/i,
    make: some('a.name@example.com', 'ada@example.org', 'first+tag@example.net'),
  },
  {
    name: / colou?rs? | hex colou?r /,
    description: /\b(?:colou?r|hex code)\b/i,
    make: () =>
      fc.oneof(
        hex(6).map((text) => `#${text}`),
        fc.constantFrom('#ff0000', '#1a2b3c', 'rgb(255, 0, 0)', 'hsl(120, 50%, 50%)', 'red', 'teal'),
      ),
  },
  {
    name: / (?:mime|media) ?type | content type /,
    description: /\bMIME\b/,
    make: some('text/plain', 'application/json', 'image/png'),
  },
  {
    name: / (?:url|link|href|website|homepage|endpoint|webhook) /,
    description: /\b(?:https?:\/\/|URL)\b/,
    make: () =>
      fc.oneof(
        fc.constantFrom('https://example.com/', 'https://example.com/a/b?c=1#d', 'http://localhost:8080/'),
        fc.webUrl(),
      ),
  },
  {
    name: / (?:ip|ipv4|ip address) /,
    description: /\bIP(?:v4)? address\b|\bCIDR\b/,
    make: some('192.168.0.1', '10.1.2.3', '127.0.0.1', '8.8.8.8', '192.168.0.0/24'),
  },
  {
    name: / (?:host|hostname|domain) /,
    description: /\b(?:hostname|domain name)\b/i,
    make: some('example.com', 'www.example.org', 'localhost'),
  },
  {
    name: / (?:locale|lang|language) /,
    description: /\b(?:BCP ?47|ISO ?639|locale)\b/i,
    make: some('en', 'de', 'fr', 'ja', 'en-US', 'de-DE', 'pt-BR'),
  },
  {
    name: / currenc(?:y|ies) /,
    description: /\bISO ?4217\b|\bcurrency code\b/i,
    make: some('USD', 'EUR', 'JPY', 'GBP', 'CHF'),
  },
  { name: / country /, description: /\bISO ?3166\b|\bcountry code\b/i, make: some('US', 'DE', 'JP', 'FR', 'GB') },
  {
    name: / phone | tel /,
    description: /\bphone number\b/i,
    make: some('+1 202 555 0143', '+49 30 901820', '+81 3 1234 5678'),
  },
  {
    name: / (?:sem)?ver(?:sion)? /,
    description: /\bsemver|semantic version/i,
    make: some('1.0.0', '2.3.1', '0.1.0-beta.1', '10.20.30'),
  },
  {
    name: / (?:date ?time|timestamp|iso) /,
    description: /\bISO ?8601\b|\bRFC ?3339\b|\bdate[- ]?time\b/i,
    make: () => fc.oneof(written('YYYY-MM-DDTHH:mm:ssZ'), written('YYYY-MM-DD'), written('YYYY-MM-DD HH:mm:ss')),
  },
  {
    name: / (?:date|day|birthday|deadline|due|since|until) |^ (?:start|end) $/,
    description: /\bdates?\b/i,
    make: () =>
      fc.oneof(
        { weight: 3, arbitrary: written('YYYY-MM-DD') },
        { weight: 1, arbitrary: written('YYYY-MM-DDTHH:mm:ssZ') },
      ),
  },
  { name: / time /, description: /\btime of day\b/i, make: () => fc.oneof(written('HH:mm'), written('HH:mm:ss')) },
  { name: / durations? /, make: some('1h', '30m', 'P1D', 'PT15M', '90s') },
  { name: / (?:glob|globs) /, description: /\bglob\b/i, make: some('*', '**/*', '*.md', '*.txt', '**/*.json') },
  {
    name: / (?:regex|regexp|pattern) /,
    description: /\bregular expression\b|\bregexp?\b/i,
    make: some('[a-z]+', '^a', String.raw`\d+`, '.*', 'o'),
  },
  {
    name: / (?:card|luhn|iban|isbn) /,
    description: /\b(?:Luhn|credit card)\b/i,
    make: some('4111111111111111', '5500000000000004', '79927398713', '1234567812345678'),
  },
  {
    name: / (?:expr|expression|formula|equation) /,
    description: /\b(?:math(?:ematical)?|arithmetic) expression\b/i,
    make: some('1 + 2', '3 * (4 - 1)', '2 ^ 8', 'sqrt(16)', '10 / 4', '7 - 12'),
  },
  { name: / sql /, description: /\bSQL\b/, make: some('SELECT 1', 'SELECT 1 AS a, 2 AS b') },
  {
    name: / json /,
    description: /\bJSON (?:string|text|document)\b/,
    make: some('{"a":1}', '[1,2,3]', '{"a":{"b":[1,2]}}', '"x"'),
  },
  { name: / yaml /, make: some('a: 1\nb: [x, y]\n', 'k: v\n') },
  { name: / csv /, make: some('a,b\n1,2\n', 'name,age\nAda,36\nAlan,41\n') },
  { name: / xml | svg | html /, make: some('<a><b>1</b></a>', '<p>text</p>') },
  {
    name: / (?:mermaid|diagram) /,
    description: /\bmermaid\b/i,
    make: some('graph TD; A-->B;', 'sequenceDiagram\n  A->>B: hello'),
  },
  { name: / base ?64 /, description: /\bbase64\b/i, make: some(base64('hello'), base64('{"a":1}'), base64('a b c')) },
  {
    name: / (?:sha|commit|hash|checksum|digest) /,
    description: /\bcommit (?:hash|sha)\b/i,
    make: () => fc.oneof(fc.constant('HEAD'), hex(40), hex(7)),
  },
  {
    name: / (?:branch|ref|revision|target) /,
    description: /\b(?:branch|git ref)\b/i,
    make: some('main', 'HEAD', 'HEAD~1', 'topic'),
  },
  { name: / remote /, make: some('origin') },
  {
    name: / (?:path|paths|file|files|filename|filepath|source|destination|dest|directory|folder|dir|cwd|root|workdir) /,
    description: /\b(?:file|directory|folder) path\b|\bpath (?:to|of)\b/i,
    make: some('.', './', 'README.md', 'a.txt', 'notes/one.txt', 'new-file.txt'),
  },
  {
    name: / (?:from|to)? ?units? /,
    description: /\bunit to convert\b|\btarget unit\b|\bsource unit\b/i,
    make: some('m', 'km', 'cm', 'kg', 'g', 'lb', 'ft', 'C', 'F', 'min', 'h'),
  },
  {
    name: / (?:number|amount|value|num|numeral|price) /,
    description: /\bnumeric string\b|\bnumber (?:as|to)\b/i,
    make: some('42', '3.14', '0', '-7', '255', '1000000'),
  },
  { name: / (?:user|username|owner|author|assignee) /, make: some('ada', 'alan', 'user-1') },
  {
    name: / (?:text|content|message|body|description|note|notes|prompt|input|title|subject|summary|comment|thought|observation|observations|string|data) /,
    make: some(
      'Hello, world!',
      'A short text.',
      'first line\nsecond line',
      'The quick brown fox jumps over the lazy dog.',
      'naïve café 日本',
    ),
  },
];

/** What a text of this name and description probably is; undefined where nothing says so. */
export function meaningOf(name: string, description: unknown): fc.Arbitrary<string> | undefined {
  const said = typeof description === 'string' ? description : '';
  const template =
    /\b(?:YYYY|yyyy)[-/. ]?(?:MM|mm)(?:[-/. ]?(?:DD|dd))?(?:[T ](?:HH|hh):(?:mm|MM)(?::(?:ss|SS))?Z?)?/.exec(said)?.[0];
  if (template !== undefined) return written(template);
  const clock = /\b(?:HH|hh):(?:mm|MM)(?::(?:ss|SS))?/.exec(said)?.[0];
  if (clock !== undefined) return written(clock);
  const words = ` ${wordsOf(name)} `;
  const named = MEANINGS.find((each) => each.name?.test(words) === true);
  const told = MEANINGS.find((each) => each.description?.test(said) === true);
  if (named !== undefined && told !== undefined && named !== told) return fc.oneof(named.make(), told.make());
  return (named ?? told)?.make();
}

/** `controlDate`, `control_date` and `control-date` are the same words. */
export const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase();

const NUMBERS: readonly (readonly [RegExp, number, number])[] = [
  [/ lat(?:itude)? /, -90, 90],
  [/ (?:lon|lng|long|longitude) /, -180, 180],
  [/ year /, 1990, 2035],
  [/ month /, 1, 12],
  [/ day /, 1, 28],
  [/ hours? /, 0, 23],
  [/ (?:minutes?|seconds?) /, 0, 59],
  [/ (?:percent|percentage|opacity|quality|progress) /, 0, 100],
  [/ port /, 1024, 65_535],
  [/ (?:page|depth|level|step) /, 1, 3],
  [/ (?:offset|skip|index|cursor) /, 0, 3],
  [/ (?:limit|count|max|min|size|length|top|n|total|head|tail|lines|number|results|context) /, 1, 20],
];

/** The range that a number of this name is usually in. */
export function usualRange(name: string): readonly [number, number] | undefined {
  const words = ` ${wordsOf(name)} `;
  const [, low, high] = NUMBERS.find(([pattern]) => pattern.test(words)) ?? [];
  return low === undefined || high === undefined ? undefined : [low, high];
}
