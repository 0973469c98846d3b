import { inFile, type Shown, type TestName } from './statement.ts'

const scan = inFile('server/test/http/migration/scan.test.ts')
const adopted = inFile('server/test/deployments/adopted.test.ts')

const route = (id: string, path: string, says: string, ...tests: TestName[]): Shown => ({
  id: `migration.${id}`,
  route: path,
  says,
  tests,
})
const rule = (id: string, says: string, ...tests: TestName[]): Shown => ({ id: `migration.${id}`, says, tests })

const found = scan('a scan finds stacks, their files and loose containers, with what stands in the way of each')

const recorded = adopted(
  'a service that is adopted',
  'is recorded with its data in place; nothing on the server is changed, and nothing deployed',
)

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
  route('adopt', 'POST /api/migration/adopt', 'makes a project of the named services; server:write.', recorded),
  rule(
    'adopt-looks',
    'Adopting looks at the server again; what the client says of services is not believed.',
    recorded,
    adopted(
      'what a choice may be',
      'a service that may not be adopted is refused with its reasons, and nothing is recorded',
    ),
  ),
  rule(
    'adopt-volumes',
    'Adopting uses named volumes where they are, and deploys nothing.',
    recorded,
    adopted(
      'a service that is adopted',
      'is deployed on the same volume once the original was stopped, and names lead to it',
    ),
  ),
  rule(
    'fields',
    'Without `serverId`, `projectName` or a service: 400 that names the field.',
    scan('%j is refused, and the field is named'),
    adopted('what a choice may be', '%j is refused, and the field is named'),
  ),
  rule(
    'unreachable',
    'A server whose engine cannot be asked, or adopting that fails: 502 with the reason.',
    scan('%s: 502 with the reason'),
    adopted(
      'what a choice may be',
      'a server of another organization is not found, and an engine that cannot be asked is told',
    ),
  ),
  rule(
    'server',
    'A server of another organization, or none: 404, before anything happens.',
    scan('a server of another organization, or none, is not found, before anything happens'),
  ),
  rule('cloud', 'In cloud mode no path of it is there: 404.', scan('in cloud mode there is no such path')),
]
