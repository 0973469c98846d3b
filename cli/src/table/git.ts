import { type Entry, flag, number, text } from './entry.ts'

const limit = number('N', 'how many', 'n')
const REPO = ['owner/repo'] as const
const slug = text('NAME', 'the app; the only one there is if not said')

export const git = {
  'git status': { group: 'git', summary: 'How the organization is connected to its git host' },
  'git connect': {
    group: 'git',
    summary: 'Connect to the git host: opens a page, shows a code or names a command, and waits',
    flags: {
      source: text('app|manifest|oauth|cli', 'by what; the instance picks if not said'),
      account: text('NAME', 'the organization of the git host that is to own the app'),
      'no-wait': flag('begin it, and do not wait for its end'),
    },
  },
  'git disconnect': {
    group: 'git',
    summary: 'Forget the credentials of the git host; nothing is uninstalled there',
    flags: { source: text('oauth|cli|all', 'only of this; all if not said') },
  },
  'git repos': { group: 'git', summary: 'Repositories that can be deployed', words: ['[part]'], flags: { limit } },
  'git inspect': { group: 'git', summary: 'A repository, who deploys it, how its pushes are learned of', words: REPO },
  'git branches': { group: 'git', summary: 'Branches of a repository', words: REPO, flags: { limit } },
  'git create': {
    group: 'git',
    summary: 'Make a repository at the git host',
    words: ['name'],
    flags: {
      owner: text('NAME', 'the account that is to own it; the only one there is if not said'),
      public: flag('for everybody to read'),
    },
  },
  'git rm': { group: 'git', summary: 'Delete a repository at the git host, for good', words: REPO },
  'git token': {
    group: 'git',
    summary: 'A token that reads a repository for less than an hour, on stdout',
    words: REPO,
  },
  'git hooks': { group: 'git', summary: 'Hooks of a repository, and whether the app covers it', words: REPO },
  'git watch': { group: 'git', summary: 'See to it that pushes of a repository are learned of', words: REPO },
  'git unwatch': { group: 'git', summary: 'Take a hook away', words: ['owner/repo', 'hook'] },
  'git deliveries': {
    group: 'git',
    summary: 'Pushes and what was decided about them: why something was deployed, or not',
    flags: {
      limit,
      repo: text('OWNER/REPO', 'only of this repository'),
      decision: text('WORD', 'only those that were deployed, coalesced, skipped, ignored, known, waiting or failed'),
    },
  },
  'git replay': {
    group: 'git',
    summary: 'Decide about a push anew, from where the branch is now',
    words: ['delivery'],
  },
  'git rules': {
    group: 'git',
    summary: 'What developers and viewers do not see; with --data, sets all rules at once',
    flags: { data: text('JSON', 'the body; @FILE reads it from there, @- from standard input', 'd') },
    example: `slipway git rules -d '{"rules":[{"role":"viewer","pattern":"acme/internal-*","allow":false}]}'`,
  },
  'git app-key': {
    group: 'git',
    summary: "Use another private key of the organization's own app",
    words: ['file'],
    flags: { app: slug },
  },
  'git hook-secret': {
    group: 'git',
    summary: "Draw another secret for the hook of the organization's own app",
    flags: { app: slug },
  },
} as const satisfies Record<string, Entry>
