import { linkDisturbed as disturbed, link } from './files.ts'
import type { Shown } from './statement.ts'

/** The link between an instance of one's own and a hosted cloud, at both ends. */
export const LINKS: Shown[] = [
  {
    id: 'link.ask',
    route: 'POST /api/cloud/link',
    says: 'asks the cloud for a link and answers with the code that is typed there; 409 where there is one, 503 where the cloud does not answer.',
    tests: [
      link('an instance is linked: a code here, an approval there, one row and one credential on each side'),
      disturbed('a cloud that is away: asking says 503, what waits goes on waiting, and a link ends here all the same'),
      disturbed('without a cloud, or where its address may not be connected to, there is nothing to link to, in words'),
      disturbed('what answers and %s is no cloud to be linked to'),
    ],
  },
  {
    id: 'link.show',
    route: 'GET /api/cloud/link',
    says: 'says whether there is a link, asks the cloud while one waits, and tells what is wrong and what to do.',
    tests: [
      disturbed('the cloud is asked once per interval whoever looks, and less often when it says so'),
      disturbed('many who look at once after the approval make one link'),
      disturbed(
        'an answer with the credential that was lost is no link: the next question ends it there and says so here',
      ),
      disturbed('a link that was refused there is told so here, and can be asked for again'),
      disturbed('when %s, the instance says so and what to do'),
    ],
  },
  {
    id: 'link.end',
    route: 'DELETE /api/cloud/link',
    says: 'ends the link there and, in any case, here.',
    tests: [disturbed('a link that is ended here is ended there: its credential is refused')],
  },
  {
    id: 'link.approve',
    says: 'An instance is linked by an owner or admin of the cloud’s organization alone, with fixed scopes.',
    tests: [
      link('only an owner or admin of the organization links an instance to it, and whoever is neither is told so'),
      link('what a link may do is fixed, whatever is sent with the approval'),
      link('the credential works with projects and deployments, and cannot make tokens, read members or link others'),
      link('the page at /device says that an instance asks, which, from where, and what it could do'),
      link('credential, verifier and the secret of the request stand nowhere in the clear, on neither side'),
    ],
  },
  {
    id: 'link.list',
    route: 'GET /api/links',
    says: 'lists the instances that are linked to the organization.',
    tests: [link('an instance is linked: a code here, an approval there, one row and one credential on each side')],
  },
  {
    id: 'link.revoke',
    route: 'DELETE /api/links/:id',
    says: 'ends a link and its token; revoking the token ends the link as well, and so does removing the member.',
    tests: [
      disturbed('when %s, the instance says so and what to do'),
      disturbed('a link ends with the member who approved it'),
    ],
  },
  {
    id: 'link.end-self',
    route: 'DELETE /api/links/self',
    says: 'ends the link whose credential asks.',
    tests: [
      disturbed('a link that is ended here is ended there: its credential is refused'),
      disturbed('only the credential of a link ends a link as its own'),
    ],
  },
]
