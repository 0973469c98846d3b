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

/** What is known of one thing, a line each; what there is nothing of is left out. */
export const details = (rows: [string, string | number | boolean | null | undefined][]): string[] =>
  columns(
    rows.flatMap(([name, value]) =>
      value === null || value === undefined || value === '' ? [] : [[name, shown(value)]],
    ),
  )

const shown = (value: string | number | boolean) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : `${value}`)
