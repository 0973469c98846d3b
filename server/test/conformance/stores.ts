import { local, patch, preflight, privateKeys, sftp, validation } from './files.ts'
import type { Shown } from './statement.ts'

/** Backup destinations, where the interface says “not shown”. */
export const STORES: Shown[] = [
  {
    id: 'store.host-key',
    says: 'The host key of an SFTP server is learned by the first preflight that succeeds; another one fails.',
    tests: [
      preflight(
        'the host key of an SFTP server',
        'is learned by the first preflight that succeeds, and never by another',
      ),
      sftp('only the pinned host key is accepted, whichever of its keys the server would show'),
    ],
  },
  {
    id: 'store.passphrase',
    says: 'A private key may have a passphrase.',
    tests: [
      sftp('a password, a key and a key with its passphrase open it'),
      privateKeys('a key that ssh-keygen made', 'is opened by a process that watches its files, too'),
    ],
  },
  {
    id: 'store.port',
    says: 'The port of SFTP is 22 where none is given.',
    tests: [validation('forms', 'the port of SFTP is 22 where none is given, null or not')],
  },
  {
    id: 'store.reason',
    says: 'The reason of a preflight that failed begins with its step: connect, auth, write, read, delete.',
    tests: [
      preflight('what fails is told by its step, with what to do, and always with 200', '%s'),
      preflight(
        'what fails is told by its step, with what to do, and always with 200',
        'bytes that come back as others',
      ),
    ],
  },
  {
    id: 'store.deadline',
    says: 'A preflight ends in time against a target that does not answer.',
    tests: [preflight('the deadline holds against a storage that does not listen', 'in %s')],
  },
  {
    id: 'store.default',
    says: 'There is one default in an organization, also when many set it at once.',
    tests: [patch('one default per organization', 'of many who set it at once, one stays and nobody fails')],
  },
  {
    id: 'store.cloud-addresses',
    says: 'In cloud mode a target on a private, local or metadata address is refused.',
    tests: [
      local('in cloud mode a host that leads to an address of our own network → 400', '%s, when made and when changed'),
    ],
  },
  {
    id: 'store.foreign-fields',
    says: 'A field of another kind is refused.',
    tests: [
      validation(
        'forms',
        'a field of another kind is refused, not passed over, when made and when changed; null is as good as none',
        '%s with %s',
      ),
    ],
  },
]
