export type Pair = { name: string; value: string }

/** `NAME=value`, in quotes or without; a quoted value may have several lines. */
const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(?:"((?:\\.|[^"\\])*)"|'([^']*)'|`([^`]*)`|([^\r\n]*))/gm

/** What an `.env` file says, as its usual readers take it; of two that are called the same, the later. */
export function readEnv(text: string): Pair[] {
  const found = new Map<string, string>()
  for (const [, name = '', double, single, back, bare] of text.matchAll(LINE))
    found.set(name, double !== undefined ? double.replaceAll('\\n', '\n') : (single ?? back ?? plain(bare ?? '')))
  return [...found].map(([name, value]) => ({ name, value }))
}

/** What is behind a # is said to people. */
const plain = (text: string) => text.replace(/(^|\s)#.*$/, '').trim()

export const namesIn = (text: string): string[] => readEnv(text).map(({ name }) => name)
