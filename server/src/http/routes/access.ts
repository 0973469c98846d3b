import { audit, members, tokens } from '@slipway/contract/access'
import { links } from '@slipway/contract/link'
import { me } from '@slipway/contract/me'
import { endOtherSessions, endSession, listSessions } from '../../core/access/sessions.ts'
import { listAudit } from '../../core/audit/list.ts'
import { invite, listInvitations, withdrawInvitation } from '../../core/members/invite.ts'
import { joinOrganization } from '../../core/members/join.ts'
import { changeRole, listMembers, removeMember, showMember } from '../../core/members/manage.ts'
import { activateOrganization, listOrganizations, showMe } from '../../core/members/me.ts'
import type { Platform } from '../../core/platform.ts'
import { createToken } from '../../core/tokens/create.ts'
import { endOwnLink, listLinks, revokeLink } from '../../core/tokens/links/manage.ts'
import { endOwnToken, listTokens, revokeToken, showToken } from '../../core/tokens/manage.ts'
import { on, type Route } from '../route.ts'

export const accessRoutes = (platform: Platform): Route[] => [
  on(me.show, ({ caller }) => showMe(platform, caller)),
  on(me.organizations, ({ caller, query }) => listOrganizations(platform, caller, query)),
  on(me.activate, ({ caller, body }) => activateOrganization(platform, caller, body.organizationId)),
  on(me.join, ({ caller, body }) => joinOrganization(platform, caller, body)),
  on(me.sessions, ({ caller, query }) => listSessions(platform, caller, query)),
  on(me.endSession, ({ caller, params }) => endSession(platform, caller, params.id)),
  on(me.endOtherSessions, ({ caller }) => endOtherSessions(platform, caller)),

  on(tokens.list, ({ caller, query }) => listTokens(platform, caller, query)),
  on(tokens.create, ({ caller, body }) => createToken(platform, caller, body)),
  on(tokens.show, ({ caller, params }) => showToken(platform, caller, params.id)),
  on(tokens.revoke, ({ caller, params }) => revokeToken(platform, caller, params.id)),
  on(tokens.endSelf, ({ caller }) => endOwnToken(platform, caller)),

  on(links.list, ({ caller, query }) => listLinks(platform, caller, query)),
  on(links.endSelf, ({ caller }) => endOwnLink(platform, caller)),
  on(links.revoke, ({ caller, params }) => revokeLink(platform, caller, params.id)),

  on(members.list, ({ caller, query }) => listMembers(platform, caller, query)),
  on(members.show, ({ caller, params }) => showMember(platform, caller, params.userId)),
  on(members.changeRole, ({ caller, params, body }) => changeRole(platform, caller, params.userId, body.role)),
  on(members.remove, ({ caller, params }) => removeMember(platform, caller, params.userId)),
  on(members.invitations, ({ caller, query }) => listInvitations(platform, caller, query)),
  on(members.invite, ({ caller, body }) => invite(platform, caller, body)),
  on(members.withdraw, ({ caller, params }) => withdrawInvitation(platform, caller, params.id)),

  on(audit.list, ({ caller, query }) => listAudit(platform, caller, query)),
]
