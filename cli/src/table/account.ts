import { type Entry, flag, text } from './entry.ts'

export const account = {
  login: {
    group: 'account',
    summary: 'Sign in to an instance in a browser, or with an access token, and remember it',
    words: ['[url]'],
    flags: {
      device: flag('show a code to enter in a browser on any machine, and open none here'),
      'token-stdin': flag('read the access token from standard input'),
      name: text('NAME', 'what to call this instance here; its host name if not said'),
    },
    example: 'slipway login slipway.example.com',
    local: true,
  },
  logout: { group: 'account', summary: 'End the access token of this machine, and forget it' },
  whoami: { group: 'account', summary: 'Who you are, and where' },
  'context ls': { group: 'account', summary: 'Instances that you are signed in to', local: true },
  'context use': { group: 'account', summary: 'Ask another instance from now on', words: ['name'], local: true },
  'context rm': { group: 'account', summary: 'Forget an instance', words: ['name'], local: true },
} as const satisfies Record<string, Entry>

export const project = {
  init: {
    group: 'project',
    summary: 'Make a project of this folder: writes slipway.json and links it',
    words: ['[name]'],
    flags: { server: text('ID', 'the server that it runs on, by name or id') },
    example: 'slipway init shop',
  },
  link: {
    group: 'project',
    summary: 'Say which project this folder is',
    words: ['[name]'],
    example: 'slipway link shop',
  },
  unlink: { group: 'project', summary: 'Forget which project this folder is', local: true },
  open: {
    group: 'project',
    summary: 'Open the address of the project in a browser',
    flags: { print: flag('only print the address') },
  },
  'projects ls': { group: 'project', summary: 'Projects of the organization, newest first' },
  'projects create': {
    group: 'project',
    summary: 'Make a project without a folder, for an image or a repository',
    words: ['name'],
    flags: {
      server: text('ID', 'the server that it runs on, by name or id'),
      repository: text('URL', 'the git repository that it is deployed from'),
      branch: text('NAME', 'the branch that is deployed'),
    },
    example: 'slipway projects create shop --repository https://git.example.com/acme/shop.git --branch main',
  },
  'projects inspect': { group: 'project', summary: 'A project and its settings', words: ['[name]'] },
  'projects set': {
    group: 'project',
    summary: 'Change settings of the project; NAME= takes one away',
    words: ['settings...'],
    example: 'slipway projects set branch=main rollbackWindow=8 autoDeploy=off',
  },
  'projects rename': { group: 'project', summary: 'Call a project otherwise', words: ['name', 'new'] },
  'projects rm': {
    group: 'project',
    summary: 'Delete a project: its services stop, its settings and variables are gone',
    words: ['name'],
    flags: { volumes: flag('the data of its volumes as well, for good') },
  },
} as const satisfies Record<string, Entry>
