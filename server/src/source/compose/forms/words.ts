/** What a command line becomes: its words, and whether something after them was cut off. */
export type Words = { words: string[]; cut: boolean }

/**
 * A command written as one text, split as compose splits it. It knows quotes and backslashes but runs no shell, and it
 * ends at the first `;`, `&`, `|`, `<` or `>` outside of quotes. Undefined where it cannot be split.
 */
export function splitWords(line: string): Words | undefined {
  const splitter = new Splitter()
  for (const char of line) {
    const end = splitter.take(char)
    if (end === 'broken') return undefined
    if (end === 'cut') return { words: splitter.words, cut: true }
  }
  return splitter.finish() ? { words: splitter.words, cut: false } : undefined
}

class Splitter {
  readonly words: string[] = []
  private word = ''
  private begun = false
  private escaped = false
  /** What must close: a quote, a backtick, or `)` after `$(`. */
  private until: '"' | "'" | '`' | ')' | undefined

  take(char: string): 'broken' | 'cut' | undefined {
    if (this.escaped) {
      this.escaped = false
      return this.add(char)
    }
    if (char === '\\' && this.until !== "'") {
      this.escaped = true
      if (this.until === '`' || this.until === ')') this.add(char)
      return undefined
    }
    return this.until === undefined ? this.outside(char) : this.inside(char, this.until)
  }

  finish(): boolean {
    if (this.begun) this.words.push(this.word)
    return this.until === undefined && !this.escaped
  }

  private outside(char: string): 'broken' | 'cut' | undefined {
    if (/[ \t\r\n]/.test(char)) return this.end()
    if (char === '(' && this.word.endsWith('$')) {
      this.until = ')'
      return this.add(char)
    }
    if (char === '(' || char === ')') return 'broken'
    if (/[;&|<>]/.test(char)) return this.cut(char)
    if (char === '"' || char === "'" || char === '`') {
      this.until = char
      this.begun = true
      return char === '`' ? this.add(char) : undefined
    }
    return this.add(char)
  }

  private inside(char: string, until: NonNullable<Splitter['until']>): 'broken' | undefined {
    if (until === ')' && char === '(' && this.word.endsWith('$')) return 'broken'
    if (char !== until) return this.add(char)
    this.until = undefined
    return until === '`' || until === ')' ? this.add(char) : undefined
  }

  /** The file descriptor of `2>file` goes with it. */
  private cut(char: string): 'cut' {
    if (this.begun && !(char === '>' && /^[0-9]/.test(this.word))) this.words.push(this.word)
    this.begun = false
    return 'cut'
  }

  private end(): undefined {
    if (this.begun) this.words.push(this.word)
    this.word = ''
    this.begun = false
  }

  private add(char: string): undefined {
    this.word += char
    this.begun = true
  }
}
