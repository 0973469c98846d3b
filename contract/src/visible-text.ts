/**
 * Control characters (C0 without the tab, DEL, C1), line and paragraph separators, marks that change the direction of
 * writing, tags, and halves of pairs.
 */
const OBEYED = /(?!\t)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/**
 * One line of text for a terminal: whatever a terminal would obey is shown instead, `\x1b` for an escape. What others print
 * must not move a reader's cursor, write their clipboard, or look like another line.
 */
export const visibleLine = (text: string): string => text.replace(OBEYED, shown)

function shown(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const digits = code.toString(16)
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`
}

/** JSON that says the same, without a character that a terminal would obey. Within strings: nowhere else does JSON have any. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value).replace(OBEYED, (character) =>
    Array.from({ length: character.length }, (_, n) => {
      const digits = character.charCodeAt(n).toString(16)
      return `\\u${digits.padStart(4, '0')}`
    }).join(''),
  )
