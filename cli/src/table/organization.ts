import { type Entry, list, number, text } from './entry.ts'

const limit = number('N', 'how many', 'n')

export const organization = {
  'servers ls': { group: 'organization', summary: 'Servers of the organization' },
  'servers check': { group: 'organization', summary: 'Look at a server now', words: ['server'] },
  'tokens ls': { group: 'organization', summary: 'Access tokens' },
  'tokens create': {
    group: 'organization',
    summary: 'Make an access token; it is shown once',
    words: ['name'],
    flags: {
      scope: list(
        'SCOPE',
        'what it may do, such as deployment:write; several times for more; all that you may if not said',
      ),
      days: number('N', 'how long it is good; for ever if not said'),
    },
    example: 'slipway tokens create ci --scope deployment:write --scope project:write --days 90',
  },
  'tokens revoke': { group: 'organization', summary: 'End an access token', words: ['id'] },
  'git status': { group: 'organization', summary: 'How the organization is connected to its git host' },
  'git repos': {
    group: 'organization',
    summary: 'Repositories that can be deployed',
    words: ['[part]'],
    flags: { limit },
  },
  'backups ls': { group: 'organization', summary: 'Where backups go, and whether it works' },
  audit: {
    group: 'organization',
    summary: 'Who did what, newest first',
    flags: {
      limit,
      action: text('NAME', 'only this action, such as token.created'),
      target: text('ID', 'only what was done to this'),
    },
  },
} as const satisfies Record<string, Entry>

export const tools = {
  status: { group: 'tools', summary: 'What needs attention: projects, servers, names' },
  api: {
    group: 'tools',
    summary: 'Call the API as it is',
    words: ['method', 'path'],
    flags: { data: text('JSON', 'the body; @FILE reads it from there, @- from standard input', 'd') },
    example: 'slipway api GET /api/projects',
  },
  doctor: { group: 'tools', summary: 'Look at this computer, the instance and its servers' },
  completion: {
    group: 'tools',
    summary: 'A script that completes commands',
    words: ['bash|zsh|fish'],
    example: 'slipway completion bash > /etc/bash_completion.d/slipway',
    local: true,
  },
  version: { group: 'tools', summary: 'Which version this is', local: true },
  server: { group: 'instance', summary: 'Start the server', local: true, raw: true },
  admin: {
    group: 'instance',
    summary: 'Make the first owner (bootstrap), a link for a password, or seal with another key',
    words: ['bootstrap|reset-password|keys'],
    example: 'slipway admin bootstrap --email you@example.com',
    local: true,
    raw: true,
  },
  setup: {
    group: 'instance',
    summary: 'Check, install, upgrade, back up, restore and remove an instance',
    words: ['check|install|upgrade|downgrade|backup|restore|uninstall'],
    local: true,
    raw: true,
  },
} as const satisfies Record<string, Entry>
