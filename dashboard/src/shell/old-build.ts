const MARK = 'reloaded-for'

/**
 * After an update, a page that was open still asks for files of the build before. It is loaded anew, once: what is missing then
 * is missing for another reason, and told.
 */
export function reloadOnOldBuild(): void {
  addEventListener('vite:preloadError', (event) => {
    const now = String(Math.floor(Date.now() / 60_000))
    if (sessionStorage.getItem(MARK) === now) return
    sessionStorage.setItem(MARK, now)
    event.preventDefault()
    location.reload()
  })
}
