import { allDomains, domains, freeNames, renew, scopes, sslStatus } from './files.ts'
import type { Shown } from './statement.ts'

/** Host names and certificates, where the interface says “not shown”. */
export const NAMES: Shown[] = [
  {
    id: 'name.free',
    says: 'A free name is the label of the endpoint, or derives from project and service; two alike: 400.',
    tests: [
      freeNames('domain is the label of a free name'),
      freeNames('several free endpoints have several names, each with its own port'),
      freeNames('two endpoints with the same name are refused, and so is what another project has'),
    ],
  },
  {
    id: 'name.one-project',
    says: 'A host name belongs to one project of one organization.',
    tests: [
      domains(
        'a name belongs to one project of one organization, also when asked for at once; released, anyone may have it',
      ),
    ],
  },
  {
    id: 'name.all',
    route: 'GET /api/domains',
    says: 'lists the names of all projects of the organization, each with its project; for a token of one project those of that one.',
    tests: [
      allDomains(
        'the names of all projects are listed by name and path, each with its project, in pages without a gap',
      ),
      allDomains('one project is asked for by its id, and a token of one project sees the names of that one alone'),
    ],
  },
  {
    id: 'name.project-write',
    route: 'POST /api/deployments/build/access',
    says: 'claims no name for a credential without project:write.',
    tests: [
      scopes(
        'without project:write no name is claimed, and a name of the project leads elsewhere for that deployment only',
      ),
      scopes('the same services sent with project:write are settings of the project'),
    ],
  },
  {
    id: 'name.ssl-addresses',
    route: 'POST /api/deployments/ssl/status',
    says: 'goes to no private, local or reserved address.',
    tests: [sslStatus('400', '%s: %j is not gone to')],
  },
  {
    id: 'name.ssl-here',
    route: 'POST /api/deployments/ssl/status',
    says: 'tells whether the name leads here and is ours, to whom it concerns.',
    tests: [
      sslStatus('pointsHere and managed are told', 'of the local engine, to the organization that has it'),
      sslStatus(
        'pointsHere and managed are told',
        'of host names of a project, to its organization and to tokens of that project',
      ),
    ],
  },
  {
    id: 'name.renew-again',
    route: 'POST /api/deployments/ssl/renew',
    says: 'again within the hour: 429, unless forced or the certificate ends soon.',
    tests: [renew('again within the hour → 429 that says when; forced, or where it ends soon, it is done')],
  },
  {
    id: 'name.renew-refused',
    route: 'POST /api/deployments/ssl/renew',
    says: 'that the certificate authority refuses is answered with its reason.',
    tests: [renew("tells the CA's own reason, and while it asks to wait does not ask it unless forced")],
  },
]
