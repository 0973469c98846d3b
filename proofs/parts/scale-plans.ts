import type { TestDatabase } from '../../test-kit/database.ts'
import { looks, type Sent } from './scale-sent.ts'

type Node = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

/** A table of at most this many rows is best read whole. */
const SMALL = 10_000
/** Plans may differ from one organization to the next; so many of the values that were sent are tried. */
const MOST_VALUES = 40

/** `inVain`: rows that were read and thrown away, at most, by a plan that was also run. */
export type Planned = { nodes: string[]; scanned: string[]; inVain: number }

/**
 * How PostgreSQL would run a statement: with the values that were sent, and as it plans a prepared statement that it
 * has seen often, which knows no values.
 */
export async function planOf({ pool }: TestDatabase, text: string, sent: Sent[]): Promise<Planned> {
  const client = await pool.connect()
  try {
    const plans: Node[] = []
    const every = Math.ceil(sent.length / MOST_VALUES)
    for (const { values } of sent.filter((_, n) => n % every === 0)) {
      const how = looks(text) ? 'analyze, timing off, format json' : 'format json'
      plans.push(rootOf((await client.query({ text: `explain (${how}) ${text}`, values })).rows))
    }
    const count = sent[0]?.values.length ?? 0
    if (count > 0) {
      await client.query('set plan_cache_mode = force_generic_plan')
      await client.query(`prepare generic as ${text}`)
      const blanks = Array(count).fill('null').join(', ')
      plans.push(rootOf((await client.query(`explain (format json) execute generic(${blanks})`)).rows))
    }
    const small = await client.query<{ name: string }>(
      // One that was never analyzed says nothing of its rows, but has a size.
      `select relname as name from pg_class where reltuples between 0 and $1
       or (reltuples < 0 and relkind = 'r' and pg_relation_size(oid) < 100000)`,
      [SMALL],
    )
    const harmless = new Set(small.rows.map((row) => row.name))
    const nodes = plans.flatMap(flat)
    return {
      nodes: [...new Set(nodes.filter((node) => node['Node Type'].includes('Scan')).map(sayNode))],
      scanned: [
        ...new Set(nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'] ?? '')),
      ].filter((name) => !harmless.has(name)),
      inVain: Math.max(...plans.map((plan) => flat(plan).reduce((sum, node) => sum + thrownAway(node), 0))),
    }
  } finally {
    client.release(true)
  }
}

function rootOf(rows: { 'QUERY PLAN': { Plan: Node }[] }[]): Node {
  const root = rows[0]?.['QUERY PLAN'][0]?.Plan
  if (!root) throw new Error('explain answered without a plan')
  return root
}

const thrownAway = (node: Node) => (node['Rows Removed by Filter'] ?? 0) * (node['Actual Loops'] ?? 1)

const flat = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flat)]

const sayNode = (node: Node) =>
  `${node['Node Type']} ${node['Index Name'] ?? node['Relation Name'] ?? ''}`.replace(/ Scan\b/, '').trim()
