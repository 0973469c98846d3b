import { type Entry, flag, number, text } from './entry.ts'

const SERVER = ['server'] as const
const DESTINATION = ['destination'] as const
const REGISTRY = ['registry'] as const
const PASSWORD = { 'password-stdin': flag('read the password from standard input') }

export const machines = {
  'servers ls': { group: 'machines', summary: 'Servers of the organization' },
  'servers add': {
    group: 'machines',
    summary: "Add a server that is reached over SSH; without a host, the instance's own engine",
    words: ['name', '[host]'],
    flags: {
      user: text('NAME', 'who signs in there; root if not said'),
      port: number('N', 'where its SSH server listens; 22 if not said'),
      socket: text('PATH', 'the socket of its engine'),
      'key-file': text('FILE', 'a private key that it knows; without one, Slipway makes a pair'),
      'host-key': text('KEY', 'its own key, as ssh-keygen -l shows it; without one, the first that is seen'),
    },
    example: 'slipway servers add fra-1 192.0.2.10 --user deploy',
  },
  'servers inspect': { group: 'machines', summary: 'A server: how it is reached, what it allows', words: SERVER },
  'servers set': {
    group: 'machines',
    summary: 'Change how a server is reached and what it allows; NAME= takes one away',
    words: ['server', 'settings...'],
    example: 'slipway servers set fra-1 hostPorts=on maxMemoryMb=2048',
  },
  'servers check': { group: 'machines', summary: 'Look at a server now', words: SERVER },
  'servers rm': { group: 'machines', summary: 'Forget a server; nothing on it is touched', words: SERVER },
  'migrate scan': {
    group: 'machines',
    summary: 'What runs on a server, and what of it could be adopted; nothing is changed',
    words: SERVER,
    flags: { sizes: flag('also how large each volume is, which takes the server some work') },
  },
  'migrate adopt': {
    group: 'machines',
    summary: 'Record services of a server as a project, their data where it is; nothing is changed there',
    words: ['server', 'name', 'services...'],
    example: 'slipway migrate adopt fra-1 blog compose/blog/web compose/blog/postgres',
  },
  'cloud link': {
    group: 'machines',
    summary: 'Link the organization to a hosted cloud: shows a code that an owner or admin types there, and waits',
    flags: { 'no-wait': flag('begin it, and do not wait for its end') },
  },
  'cloud status': { group: 'machines', summary: 'Whether the organization is linked to a hosted cloud' },
  'cloud promotion': {
    group: 'machines',
    summary: 'How far the promotion of a project to the hosted cloud is, and which DNS records have to be changed',
    words: ['[project]'],
  },
  'cloud unlink': {
    group: 'machines',
    summary: 'End the link to the hosted cloud, here and there',
    flags: { force: flag('also while projects are being promoted, which end as failed') },
  },
  'registries ls': { group: 'machines', summary: 'Credentials for private registries of images' },
  'registries add': {
    group: 'machines',
    summary:
      'Save a credential for a registry, or for a path of it, after asking the registry; the password is typed or piped in',
    words: ['registry', 'username'],
    flags: { ...PASSWORD, for: text('PROJECT', 'only for this project; for all of the organization if not said') },
    example: 'slipway registries add ghcr.io/team deploy --password-stdin < token',
  },
  'registries set': {
    group: 'machines',
    summary: 'Give a credential another password, after asking the registry',
    words: REGISTRY,
    flags: { ...PASSWORD, username: text('NAME', 'another user name as well') },
    example: 'slipway registries set ghcr.io/team --password-stdin < token',
  },
  'registries check': {
    group: 'machines',
    summary: 'Ask a registry now whether it takes its credential',
    words: REGISTRY,
  },
  'registries rm': { group: 'machines', summary: 'Forget a credential; what runs goes on', words: REGISTRY },
  'backups ls': { group: 'machines', summary: 'Where backups go, and whether it works' },
  'backups add': {
    group: 'machines',
    summary: 'Add a destination; secrets come by NAME=- from standard input or by NAME=@FILE',
    words: ['s3_compatible|sftp|platform_server|local', 'name', '[settings...]'],
    example: 'slipway backups add s3_compatible offsite bucket=backups accessKeyId=EXAMPLEKEY secretAccessKey=@secret',
  },
  'backups inspect': { group: 'machines', summary: 'A destination, and how its last test went', words: DESTINATION },
  'backups set': {
    group: 'machines',
    summary: 'Change a destination; NAME= takes a value away',
    words: ['destination', 'settings...'],
    example: 'slipway backups set offsite isDefault=on',
  },
  'backups test': {
    group: 'machines',
    summary: 'Write, read back and delete something there now',
    words: DESTINATION,
  },
  'backups rm': { group: 'machines', summary: 'Forget a destination; nothing there is touched', words: DESTINATION },
} as const satisfies Record<string, Entry>
