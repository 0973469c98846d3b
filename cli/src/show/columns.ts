import { widthOf } from './output.ts'

/** Rows as aligned lines. The last column is as wide as it is; `right` names columns of figures. */
export function columns(rows: string[][], { right = [] as number[] } = {}): string[] {
  const widths = rows.reduce<number[]>(
    (most, row) => row.map((cell, n) => Math.max(most[n] ?? 0, widthOf(cell))).concat(most.slice(row.length)),
    [],
  )
  return rows.map((row) =>
    row
      .map((cell, n) => {
        const room = ' '.repeat(Math.max(0, (widths[n] ?? 0) - widthOf(cell)))
        if (right.includes(n)) return room + cell
        return n === row.length - 1 ? cell : cell + room
      })
      .join('  ')
      .trimEnd(),
  )
}
