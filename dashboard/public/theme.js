// Runs before the first paint, so that nobody sees the other theme flash. A file of its own: inline it would need a hash in the policy.
;(() => {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    let chosen = 'system'
    try {
      chosen = localStorage.getItem('theme') ?? 'system'
    } catch {
      // Some browsers keep nothing for anybody.
    }
    document.documentElement.classList.toggle('dark', chosen === 'dark' || (chosen === 'system' && system.matches))
  }
  apply()
  system.addEventListener('change', apply)
  // Chosen in another tab, or in this one by src/shell/theme.ts.
  addEventListener('storage', apply)
  addEventListener('themechange', apply)
})()
