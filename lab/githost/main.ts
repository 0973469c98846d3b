import { writeFileSync } from 'node:fs'
import { startGitHost } from './start.ts'

// bin/lab runs this: node lab/githost/main.ts <directory> <file for the addresses>
const [dir, file] = process.argv.slice(2)
if (!dir || !file) throw new Error('usage: main.ts DIRECTORY FILE')
process.title = 'lab-githost'
const { do: _, stop, ...addresses } = await startGitHost({ dir })
writeFileSync(file, JSON.stringify(addresses))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop().then(() => process.exit(0)))
