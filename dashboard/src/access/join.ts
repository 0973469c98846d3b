import { api, isRefusal } from '../api/client.ts'

export type Newcomer = { code: string; email: string; name: string; password: string }
export type Known = { code: string; email: string; password: string; newPassword: string }
/**
 * How joining ended. `known`: the address had an account before, so nothing was changed and its own password is needed;
 * `made`: the account is theirs, but nobody could be signed in just then; `renew`: whoever made that account may know its
 * password, so it must be another one first.
 */
export type Joined = 'in' | 'known' | 'made' | 'renew'

/** Sets name and password with the code of this very address, which signs in as well. */
export async function joinAsNewcomer({ code, email, name, password }: Newcomer): Promise<Joined> {
  const { signedIn, hadAccount } = await api.auth.accept({
    body: { code, email, password, ...(name !== '' && { name }) },
  })
  if (signedIn) return 'in'
  return hadAccount ? 'known' : 'made'
}

/** Signs in with an account that exists, and joins with its session. */
export async function joinAsKnown({ code, email, password, newPassword }: Known): Promise<Joined> {
  await api.auth.signIn({ body: { email, password } })
  if (newPassword !== '') await api.me.changePassword({ body: { currentPassword: password, newPassword } })
  try {
    const { organizationId } = await api.me.join({ body: { code } })
    await api.me.activate({ body: { organizationId } })
    return 'in'
  } catch (error) {
    if (isRefusal(error) && error.body.code === 'password_not_new') return 'renew'
    throw error
  }
}
