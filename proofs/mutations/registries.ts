import type { Mutation } from './mutation.ts'

const DECISION = 'docs/decisions/0058-who-fetches-private-images.md'

/** Passwords of registries: whom they are sent to, and who may use what they have brought. */
export const registries: Mutation[] = [
  {
    name: 'token-server-anywhere',
    guards: `${DECISION}: the address of a token server is the text of a stranger, and passes the guard`,
    file: 'server/src/drivers/registry/check-login.ts',
    find: "(url.protocol === 'https:' || (url.protocol === 'http:' && registry.protocol === 'http:'))",
    replace: "url.protocol !== 'gopher:'",
    red: {
      test: 'server/src/drivers/registry/check-login.test.ts',
      title:
        'where tokens are to be had is text of whoever answers: it passes the guard, and gets no password elsewise',
    },
  },
  {
    name: 'path-by-its-letters',
    guards: 'docs/how-to/use-private-images.md: `path` narrows a credential to names that begin so',
    file: 'server/src/core/registries/choose.ts',
    find: '`${where.path}/`.startsWith(`${path}/`)',
    replace: 'where.path.startsWith(path)',
    red: { test: 'server/src/core/registries/choose.test.ts', title: 'ghcr.io/team covers' },
  },
  {
    name: 'wrong-password-saved',
    guards: 'docs/how-to/use-private-images.md: what the registry does not take is not saved',
    file: 'server/src/core/registries/check.ts',
    find: 'if (failure === null) return\n',
    replace: "if (failure === null || failure.code === 'login_refused') return\n",
    red: {
      test: 'server/test/http/registries/registries.test.ts',
      title: 'a wrong one is refused when it is saved, and nothing is kept',
    },
  },
  {
    name: 'login-of-the-last-image',
    guards: `${DECISION}: an empty login is said, too`,
    file: 'server/src/drivers/engine/ask.ts',
    find: 'const auth = login === undefined ? {}',
    replace: 'const auth = login === undefined || login === null ? {}',
    red: {
      test: 'server/src/drivers/runtime/rollout/registry-login.test.ts',
      title: 'what was given for one registry never goes to that of the next image',
    },
  },
]
