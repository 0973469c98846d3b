type AppSecret = 'private_key' | 'client_secret' | 'hook_secret' | 'old_hook_secret'

/** For which places the secrets of the git host are sealed. */
export const appPlace = (id: string, column: AppSecret) => `githost_app/${id}/${column}`
export const accountPlace = (id: string, column: 'token' | 'refresh_token') => `githost_account/${id}/${column}`
export const attemptPlace = (id: string, column: 'secret' | 'return_to' = 'secret') => `githost_attempt/${id}/${column}`
export const hookPlace = (id: string) => `githost_hook/${id}/secret`
