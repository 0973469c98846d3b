import fc from 'fast-check'
import type { Schema } from './fields.ts'

/** What a shell, a template, a path, an option parser, a header or a database would do something with. */
export const hostile = (canary: string): string[] => [
  `$(touch ${canary})`,
  // Where a space is not taken.
  `$(touch\${IFS}${canary})`,
  `\`touch ${canary}\``,
  `; touch ${canary} #`,
  `a && touch ${canary}`,
  `| touch ${canary}`,
  `"; touch ${canary}; "`,
  `'; touch ${canary}; '`,
  `\ntouch ${canary}\n`,
  `a\nRUN touch ${canary}`,
  `--upload-pack=touch ${canary}`,
  `-oProxyCommand=touch ${canary}`,
  `ext::touch ${canary}`,
  '--help',
  '-',
  '--',
  '$PATH',
  `\${PATH}`,
  '$((1+1))',
  '*',
  '~',
  '{{.Node.Hostname}}',
  '{{',
  '}}{{"a"}}',
  '%s%n%00',
  '%2e%2e%2f%0d%0a',
  '..',
  '.',
  '/',
  '//',
  '../../../../etc/passwd',
  'a/../../b',
  '/etc/passwd',
  'C:\\a\\..\\b',
  'a\\',
  '\\',
  '',
  ' ',
  '\t',
  ' a ',
  '\r\nX-Injected: yes\r\n',
  '\0',
  'a\0b',
  '\u001b[31m',
  '\u202Etxt.exe',
  'e\u0301\u0301',
  '\uFEFFa',
  '\u2028',
  '\ud800',
  'a\udfffb',
  'İıß',
  '👩‍👩‍👧‍👦',
  '__proto__',
  'constructor',
  'null',
  'true',
  '1e309',
  '-1',
  "' or 1=1 --",
  '"',
  "'",
  '<script>',
  '=',
  'A=B',
  ',id=other,src=/etc/passwd',
  '#',
  '# syntax=evil',
]

const LONG = 64 * 1024
const long = [
  'A'.repeat(LONG),
  '€'.repeat(LONG / 3),
  '$('.repeat(LONG / 2),
  '../'.repeat(LONG / 3),
  'a.'.repeat(LONG / 2),
  'a-'.repeat(LONG / 2),
  ' '.repeat(LONG),
  '\0'.repeat(LONG),
]

/** One of each class, for every field: what is left to chance misses some of them. */
export const oneOfEach = (canary: string): string[] => [
  `$(touch ${canary})`,
  `; touch ${canary} #`,
  '\r\nX-Injected: yes\r\n',
  'a\0b',
  'a\udfffb',
  '../../../../etc/passwd',
  'A'.repeat(LONG),
]

/** Text that fits the schema, so that the other side of the door is reached too. */
function fittingTexts({ pattern, enum: choices, example, maxLength = 200, minLength = 0 }: Schema) {
  if (choices) return [fc.constantFrom(...choices.map(String))]
  const plain = fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 40) })
  const known = example === undefined ? [] : [fc.constant(String(example))]
  if (pattern === undefined) return [plain, ...known]
  try {
    return [fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' }), ...known]
  } catch {
    // Look-arounds and the like, which cannot be turned round.
    return [plain, ...known]
  }
}

/** Texts for a field: hostile ones, whole or within what fits, random ones of every kind of character, and long ones. */
export function texts(schema: Schema, canary: string): fc.Arbitrary<string> {
  const nasty = fc.constantFrom(...hostile(canary))
  const fits = fc.oneof(...fittingTexts(schema))
  return fc.oneof(
    { weight: 5, arbitrary: nasty },
    { weight: 4, arbitrary: fits },
    { weight: 4, arbitrary: fc.tuple(fits, nasty, fits).map((parts) => parts.join('')) },
    { weight: 2, arbitrary: fc.tuple(fits, nasty).map((parts) => parts.join('')) },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
    {
      weight: 1,
      arbitrary: fc.string({
        unit: fc.integer({ min: 0, max: 0xffff }).map((n) => String.fromCharCode(n)),
        maxLength: 20,
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom(...long) },
  )
}
