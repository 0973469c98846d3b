import { EXIT_MEANINGS } from '../cli/src/failure.ts'
import { commandLine, shownFlag } from '../cli/src/parse/help.ts'
import { type Entry, type Flag, GROUPS } from '../cli/src/table/entry.ts'
import { GLOBAL } from '../cli/src/table/global.ts'
import { table } from '../cli/src/table/table.ts'

/** docs/reference/cli.md, from the table that the command itself is made from. */
export function commandReference(): string {
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const commands = Object.entries<Entry>(table).filter(([, entry]) => entry.group === group)
    return `## ${title}\n\n${commands.map(([name, entry]) => commandSection(name, entry)).join('\n')}`
  })
  const exits = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `| ${code} | ${meaning} |`)
  return `# Commands

Made from \`cli/src/table/\` by \`tools/generate.ts\`; \`slipway --describe\` prints the same as JSON, \`slipway help <command>\` one of them.

stdout is data, stderr is talk. Without a terminal there are no colours and no questions: every question has a flag.
A deployment is named by its number within the project (\`12\` or \`#12\`) or by its id.

## Everywhere

${flagTable(GLOBAL)}

| exit code | meaning |
|---|---|
${exits.join('\n')}

Which instance: \`--url\` or \`--context\`, else \`SLIPWAY_URL\`, else where you are signed in, else one on this machine. As whom:
\`--token-file\`, else \`SLIPWAY_TOKEN\`, else the token you signed in with, which is sent to no other instance. Which project: \`--project\`, else
\`SLIPWAY_PROJECT\`, else the link of the folder (\`.slipway/link.json\`), else its \`slipway.json\`. A folder that is linked to a project of
another instance than the one that is asked is refused.

| file | what it is |
|---|---|
| \`slipway.json\` | for everybody: \`project\`; \`services\` as \`build/access\` takes them; \`exclude\`, patterns that are not sent; \`include\`, paths that are sent although ignored |
| \`.slipway/link.json\` | for this machine: instance and project of the folder |
| \`~/.config/slipway/config.json\` | where you are signed in, and the tokens; mode 0600, wider ones are refused |
| \`~/.cache/slipway/checksums/\` | checksums of files that have not changed |

${groups.join('\n')}`
}

function commandSection(name: string, entry: Entry): string {
  const flags = entry.flags ? `\n${flagTable(entry.flags)}\n` : ''
  const example = entry.example ? `\nFor example: \`${entry.example}\`\n` : ''
  return `### ${commandLine(name, entry).replace('slipway ', '').replaceAll('|', '\\|').replaceAll('<', '\\<')}\n\n${entry.summary}.\n${flags}${example}`
}

function flagTable(flags: Readonly<Record<string, Flag>>): string {
  const rows = Object.entries(flags).map(([name, flag]) => `| \`${shownFlag(name, flag)}\` | ${flag.about} |`)
  return `| flag | |\n|---|---|\n${rows.join('\n')}`
}
