import { type Entry, flag, text } from './entry.ts'

const service = text('NAME', 'of one service', 's')
const scopes = { build: flag('for the build alone'), runtime: flag('for running services alone') } as const
const FILE = ['[file]'] as const

export const settings = {
  'env ls': {
    group: 'settings',
    summary: 'Variables of the project; their values only with --reveal',
    flags: { reveal: flag('with their values, which leaves an audit entry') },
  },
  'env set': {
    group: 'settings',
    summary: 'Set variables; NAME=- takes the value from standard input',
    words: ['pairs...'],
    flags: { service: text('NAME', 'for one service', 's'), ...scopes },
    example: 'slipway env set DATABASE_URL=- < url',
  },
  'env rm': { group: 'settings', summary: 'Remove variables', words: ['names...'], flags: { service } },
  'env pull': {
    group: 'settings',
    summary: 'Write the variables into a file, .env if not said',
    words: FILE,
    flags: { service, force: flag('although the file is there') },
  },
  'env push': {
    group: 'settings',
    summary: 'Set the variables of a file, .env if not said',
    words: FILE,
    flags: { service: text('NAME', 'for one service', 's'), ...scopes },
  },
  'env diff': {
    group: 'settings',
    summary: 'How a file differs from the variables of the project',
    words: FILE,
    flags: { service },
  },
  'domains ls': {
    group: 'settings',
    summary: 'Names of the project, and how they are',
    flags: { all: flag('of every project', 'a') },
  },
  'domains add': {
    group: 'settings',
    summary: 'Give the project a name',
    words: ['host'],
    flags: {
      service: text('NAME', 'the service that it leads to; web if not said', 's'),
      to: text('HOST', 'send visitors to this other name of the project'),
    },
    example: 'slipway domains add shop.example.com',
  },
  'domains check': { group: 'settings', summary: 'Where a name leads, and where it should', words: ['host'] },
  'domains rm': { group: 'settings', summary: 'Take a name from the project', words: ['host'] },
  'ssl status': { group: 'settings', summary: 'The certificate that a name shows to strangers', words: ['host'] },
  'ssl renew': {
    group: 'settings',
    summary: 'Get a new certificate for a name',
    words: ['host'],
    flags: { force: flag('also within an hour of the last time') },
  },
  'services ls': { group: 'settings', summary: 'Services of the project as they are described' },
  'services set': {
    group: 'settings',
    summary: 'Describe a service: port, replicas, health check and the rest, as the API has it',
    words: ['name'],
    flags: { data: text('JSON', 'the body; @FILE reads it from there, @- from standard input', 'd') },
    example: `slipway services set web -d '{"build":".","port":3000}'`,
  },
  'services rm': { group: 'settings', summary: 'Take a service and its variables from the project', words: ['name'] },
  'volumes ls': { group: 'settings', summary: 'Where the services of the project keep their data' },
  'volumes grants': { group: 'settings', summary: 'Volumes and paths that were adopted, and may be used' },
  'volumes revoke': {
    group: 'settings',
    summary: 'Take such a grant back: the next deployment that needs it is refused',
    words: ['grant'],
  },
} as const satisfies Record<string, Entry>
