/** The one that was probably meant, or nothing when none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(word.length / 3))
  const ranked = known.map((one) => [distance(word, one), one] as const).filter(([away]) => away <= most)
  return ranked.toSorted(([a], [b]) => a - b)[0]?.[1]
}

/** Damerau–Levenshtein: letters that were left out, put in, exchanged, or swapped with their neighbour. */
function distance(a: string, b: string): number {
  let older: number[] = []
  let before = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const changed = Math.min((before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (before[j - 1] ?? 0) + (same ? 0 : 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(swapped ? Math.min(changed, (older[j - 2] ?? 0) + 1) : changed)
    }
    older = before
    before = row
  }
  return before[b.length] ?? 0
}
