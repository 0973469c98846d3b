import { inFile, type Shown, type TestName } from './statement.ts'

const scan = inFile('server/test/http/migration/scan.test.ts')

const route = (id: string, path: string, says: string, ...tests: TestName[]): Shown => ({
  id: `migration.${id}`,
  route: path,
  says,
  tests,
})
const rule = (id: string, says: string, ...tests: TestName[]): Shown => ({ id: `migration.${id}`, says, tests })

const found = scan('a scan finds stacks, their files and loose containers, with what stands in the way of each')

export const MIGRATION: Shown[] = [
  route(
    'scan',
    'POST /api/migration/scan',
    'tells what runs on `serverId` as `stack`; server:write.',
    found,
    scan('server:write is needed'),
  ),
  rule(
    'scan-reads',
    'A scan finds compose stacks, their files and loose containers, and changes nothing.',
    found,
    scan('what is inspected is the same before and after'),
  ),
  rule(
    'server',
    'A server of another organization, or none: 404, before anything happens.',
    scan('a server of another organization, or none, is not found, before anything happens'),
  ),
  rule('cloud', 'In cloud mode no path of it is there: 404.', scan('in cloud mode there is no such path')),
]
