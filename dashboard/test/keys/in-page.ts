/** Part of the page from its first moment: who listens for the mouse, and where the focus goes. Both are asked for later. */
const WATCH = `
  const MOUSE = ['click', 'dblclick', 'mousedown', 'mouseup', 'pointerdown', 'pointerup']
  const heard = new WeakSet()
  const listen = EventTarget.prototype.addEventListener
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (MOUSE.includes(type)) heard.add(this ?? window)
    return listen.call(this ?? window, type, ...rest)
  }
  const touched = []
  listen.call(document, 'focusin', ({ target }) => touched.push(target), true)
`

/** What a mouse can use, of what lies on top: controls, whatever listens for it or shows a hand, and what a label belongs to. */
const FIND = `
  const ROLES = ['button', 'link', 'tab', 'menuitem', 'option', 'checkbox', 'radio', 'switch', 'combobox', 'slider']
  const CONTROL = 'a[href],button,input,select,textarea,summary,[contenteditable=true],' +
    ROLES.map((role) => '[role=' + role + ']').join()
  const PROPS = ['onClick', 'onDoubleClick', 'onMouseDown', 'onMouseUp', 'onPointerDown', 'onPointerUp']
  const isShown = (el) => {
    const { width, height } = el.getBoundingClientRect()
    return width > 1 && height > 1 && el.checkVisibility({ visibilityProperty: true }) && !el.closest('[inert]')
  }
  const top = () => {
    const last = (selector) => [...document.querySelectorAll(selector)].filter(isShown).at(-1)
    return last('[role=dialog],[role=alertdialog]') ?? last('[role=menu],[role=listbox]') ?? document.body
  }
  const keyOf = (el, start) => Object.keys(el).find((key) => key.startsWith(start))
  const acts = (el) => {
    // React listens for everything where it begins; what its elements do is in their properties.
    if (keyOf(el, '_reactListening')) return false
    const key = keyOf(el, '__reactProps$')
    return heard.has(el) || el.onclick !== null || (key && PROPS.some((name) => typeof el[key][name] === 'function'))
  }
  const isHand = (el) => getComputedStyle(el).cursor === 'pointer'
  const isInSight = (el) => {
    const log = el.closest('[role=log]')
    if (!log || log === el) return true
    const [box, own] = [log.getBoundingClientRect(), el.getBoundingClientRect()]
    return own.top >= box.top && own.bottom <= box.bottom
  }
  let place = null
  const controls = () => {
    const found = new Set()
    for (const el of (place ?? top()).querySelectorAll('*')) {
      if (!isShown(el) || !isInSight(el)) continue
      const control = el.closest(CONTROL) ?? el.closest('label')?.control
      if (control) found.add(control)
      else if (acts(el) || (isHand(el) && !isHand(el.parentElement))) found.add(el)
    }
    return [...found].filter((el) => !el.matches(':disabled'))
  }
`

/** What every press of a key led to, and how that looked with the focus and, one press later, without it. */
const NOTE = `
  let steps = []
  const at = () => {
    const el = document.activeElement
    const id = el?.getAttribute('aria-activedescendant')
    return (id && document.getElementById(id)) || (el === document.body ? null : el)
  }
  const ITEM = '[role=menuitem],[role=option]'
  const lookOf = (el) => {
    const one = ({ outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, borderWidth }) =>
      [outlineStyle === 'none' ? '' : outlineStyle + outlineWidth + outlineColor, boxShadow, borderColor, borderWidth]
    const own = getComputedStyle(el)
    const around = [el.parentElement && getComputedStyle(el.parentElement), getComputedStyle(el, '::after')]
    const fill = el.matches(ITEM) ? own.backgroundColor : ''
    return JSON.stringify([fill, ...[own, ...around].map((style) => style && one(style))])
  }
  const isCovered = (el) => {
    const [box] = el.getClientRects()
    if (!box || box.width <= 1) return false
    const within = (value, most) => Math.min(Math.max(value, 0), most - 1)
    const [x, y] = [within(box.left + box.width / 2, innerWidth), within(box.top + box.height / 2, innerHeight)]
    const there = document.elementFromPoint(x, y)
    return !there || !(el.contains(there) || there.contains(el))
  }
  // Where what it lies in cuts off its edges, a ring around it is not seen.
  const isCut = (el) => {
    const { outlineStyle, outlineOffset } = getComputedStyle(el)
    if (outlineStyle === 'none') return false
    const [own, room] = [el.getBoundingClientRect(), parseFloat(outlineOffset)]
    for (let around = el.parentElement; around && around !== document.body; around = around.parentElement) {
      if (getComputedStyle(around).overflow === 'visible') continue
      const box = around.getBoundingClientRect()
      const across = [own.left - room <= box.left, own.right + room >= box.right]
      const along = [own.top - room <= box.top, own.bottom + room >= box.bottom]
      if ([...across, ...along].filter(Boolean).length > 1) return true
    }
    return false
  }
  const note = (key) => {
    const [el, before] = [at(), steps.at(-1)]
    if (before?.el && before.el !== el) before.dark = lookOf(before.el)
    const seen = el && { lit: lookOf(el), isCovered: isCovered(el), isCut: isCut(el) }
    steps.push({ key, el, holder: document.activeElement, ...seen })
  }
  let isQuick = false
  listen.call(window, 'keyup', ({ key, shiftKey }) => isQuick && note(shiftKey ? 'Back' : key), true)
`

/** What is told to the test, in words. */
const TELL = `
  const nameOf = (el) => {
    if (!el) return 'nothing'
    const said = el.getAttribute('aria-label') ?? el.labels?.[0]?.textContent ?? el.textContent ?? ''
    const role = el.getAttribute('role')
    return el.tagName.toLowerCase() + (role ? '[' + role + ']' : '') + ' "' + said.trim().slice(0, 60) + '"'
  }
  const isGuard = (el) => el?.hasAttribute('data-base-ui-focus-guard')
  const stops = () => steps.filter(({ el }) => !isGuard(el))
  const reached = () => new Set(stops().flatMap(({ el, holder }) => [el, holder]))
  // What comes later, by an answer that was late, is of another screen.
  let wanted = []
  const missed = () => {
    const known = reached()
    return wanted.filter((el) => el.isConnected && isShown(el) && !known.has(el))
  }
  const isBefore = (a, b) => {
    if (!(a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING)) return false
    const [one, next] = [a.getBoundingClientRect(), b.getBoundingClientRect()]
    if (a.contains(b) || one.width <= 1 || next.width <= 1) return true
    const isAbove = next.bottom <= one.top + 1 && next.left < one.right
    const isLeft = next.right <= one.left + 1 && next.top < one.bottom - 2 && next.bottom > one.top + 2
    return !isAbove && !isLeft
  }
  const outOfOrder = () => {
    scrollTo(0, 0)
    // A bar that sticks to an edge stands where it would be without that.
    for (const bar of document.querySelectorAll('[data-bar]')) bar.style.position = 'static'
    const walked = stops().filter(({ key }) => key === 'Tab').map(({ el }) => el)
    const pairs = walked.slice(1).map((el, n) => [walked[n], el])
    // The press that leads out of the page is not always heard: what holds the focus then is not where the page begins.
    const known = reached()
    known.delete(document.body)
    const begin = [...document.querySelectorAll('*')].find((el) => known.has(el))
    return pairs.filter(([a, b]) => a?.isConnected && b?.isConnected && a !== b && b !== begin && !isBefore(a, b))
  }
  // Of several radios the last is entered from behind, and the first from before.
  const oneWay = () => {
    const by = (way) => stops().filter(({ key }) => key === way).map(({ el }) => el)
    const back = new Set(by('Back'))
    return by('Tab').slice(0, -1).filter((el) => el?.isConnected && el.type !== 'radio' && !back.has(el))
  }
  // What holds others shows the one of them that is chosen.
  const HOLDER = '[role=menu],[role=listbox],[role=dialog],[role=alertdialog]'
  const unseen = () => stops().filter(({ el, lit, dark }) => el && dark !== undefined && lit === dark && !el.matches(HOLDER))
  const GROUPS = '[role=menu],[role=listbox],[role=tablist],[role=radiogroup],[role=log]'
  const groupOf = (el) => el.closest(GROUPS) ?? (el.type === 'radio' ? el.closest('fieldset,form') : null)
  const tried = new WeakSet()
  let group = null
  // By the arrow keys of its group: from where Tab led, or from what has the group.
  const enterGroup = () => {
    const [el] = missed().filter((one) => groupOf(one) && !tried.has(groupOf(one)))
    if (!el) return { members: 0 }
    group = groupOf(el)
    tried.add(group)
    const inside = [...reached()].find((one) => one && one !== group && group.contains(one))
    const stop = group.querySelector('[tabindex="0"]')
    const owner = group.id && document.querySelector('[aria-controls="' + group.id + '"]')
    if (!group.contains(document.activeElement)) (inside ?? stop ?? (owner || group)).focus()
    note('')
    const members = missed().filter((one) => groupOf(one) === group).length + 1
    return { members, isDrawn: group.matches('[role=menu],[role=listbox]') }
  }
`

const ASKED = `
  let opener = null
  window.byKeys = {
    // Of a page whose frame was walked through before, what is in it.
    begin: (isFrameKnown) => {
      steps = []
      isQuick = false
      const over = top()
      const main = over === document.body && isFrameKnown ? document.getElementById('main') : null
      place = main
      main?.focus()
      wanted = controls()
      opener = over === document.body ? null : touched.filter((el) => el.isConnected && !over.contains(el)).at(-1) ?? null
      const tabbable = [...(main ?? over).querySelectorAll('*')].filter((el) => el.tabIndex >= 0 && isShown(el))
      // Day, month, year and the calendar of a date are a stop each.
      const more = tabbable.filter(({ type }) => type === 'date').length * 3
      return { kind: over.getAttribute('role'), stops: tabbable.length + more, isInside: over.contains(document.activeElement) }
    },
    quick: (now) => (isQuick = now),
    // What a key sets off is drawn in the next frame.
    noted: (key) => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(note(key))))),
    isRound: () => stops().slice(1).some(({ el }) => !el || el === stops()[0].el || (place && !place.contains(el))),
    isOneWay: () => oneWay().length > 0,
    enterGroup,
    isAnyLeft: () => missed().some((el) => groupOf(el) === group),
    faults: () => [...new Set([
      ...missed().map((el) => 'by mouse only: ' + nameOf(el)),
      ...unseen().map(({ el }) => 'does not show that it has the focus: ' + nameOf(el)),
      ...stops().filter(({ isCovered }) => isCovered).map(({ el }) => 'is covered when it has the focus: ' + nameOf(el)),
      ...stops().filter(({ isCut }) => isCut).map(({ el }) => 'its ring is cut off: ' + nameOf(el)),
      ...outOfOrder().map(([a, b]) => 'comes after what stands behind it: ' + nameOf(a) + ' then ' + nameOf(b)),
      ...oneWay().map((el) => 'Shift+Tab does not lead back to it: ' + nameOf(el)),
    ])],
    leaves: () => stops().some(({ el }) => !el || !top().contains(el)),
    isBack: () => opener === null || document.activeElement === opener,
    opener: () => nameOf(opener),
    holder: () => nameOf(at()),
    popups: () => controls().filter((el) => el.hasAttribute('aria-haspopup')).map(nameOf),
    enter: (name) => controls().find((el) => nameOf(el) === name)?.focus(),
  }
`

/** A script for the page, as text: tests are not compiled with what a browser has. */
export const IN_PAGE = `(() => {${WATCH}${FIND}${NOTE}${TELL}${ASKED}})()`
