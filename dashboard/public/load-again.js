// Whoever changes networks while the page loads has none of it: it is loaded anew, once, and says so when that does not help. A file of
// its own, since it must be there when nothing else is.
;(() => {
  const MARK = 'loaded-again'
  const again = () => {
    try {
      const now = String(Math.floor(Date.now() / 60_000))
      if (sessionStorage.getItem(MARK) === now) return false
      sessionStorage.setItem(MARK, now)
      return true
    } catch {
      // Where nothing is kept, nobody knows how often it was tried.
      return false
    }
  }
  const tell = () => {
    const said = document.createElement('p')
    said.setAttribute('role', 'alert')
    said.className = 'p-8 text-center'
    const link = document.createElement('a')
    link.href = location.href
    link.textContent = 'Try again'
    link.addEventListener('click', () => location.reload())
    said.append('The dashboard could not be loaded: the connection broke, or the server does not answer. ', link)
    document.getElementById('root')?.replaceChildren(said)
  }
  addEventListener(
    'error',
    ({ target }) => {
      if (!(target instanceof HTMLScriptElement || target instanceof HTMLLinkElement)) return
      if (target instanceof HTMLLinkElement && target.rel !== 'stylesheet') return
      if (again()) location.reload()
      else tell()
    },
    true,
  )
})()
