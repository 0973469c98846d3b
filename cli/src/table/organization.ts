import { type Entry, list, number, text } from './entry.ts'

const limit = number('N', 'how many', 'n')
const ROLE = 'viewer|developer|admin|owner'

export const organization = {
  'orgs ls': { group: 'organization', summary: 'Organizations that you belong to' },
  'members ls': { group: 'organization', summary: 'People of the organization, and what they may' },
  'members role': {
    group: 'organization',
    summary: 'Change what somebody may',
    words: ['member', ROLE],
    example: 'slipway members role sam@example.com developer',
  },
  'members rm': {
    group: 'organization',
    summary: 'Remove somebody; their tokens stop working at once',
    words: ['member'],
  },
  'members invite': {
    group: 'organization',
    summary: 'Invite somebody; the link is shown once',
    words: ['email', ROLE],
    example: 'slipway members invite sam@example.com developer',
  },
  'members invitations': { group: 'organization', summary: 'Invitations that are still open' },
  'members withdraw': { group: 'organization', summary: 'Take an invitation back', words: ['invitation'] },
  'tokens ls': { group: 'organization', summary: 'Access tokens' },
  'tokens inspect': { group: 'organization', summary: 'One access token, without its secret', words: ['id'] },
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
  instance: { group: 'tools', summary: 'The instance: its version, its address, and its own backups' },
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
