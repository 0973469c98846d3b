/** Somebody types, presses a key of the browser's own, or is in something that lies over the page. */
export function isKeyTaken({ target, metaKey, ctrlKey, altKey, defaultPrevented }: KeyboardEvent): boolean {
  if (metaKey || ctrlKey || altKey || defaultPrevented) return true
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return true
  return target.closest('[role=dialog],[role=alertdialog],[role=menu],[role=listbox]') !== null
}
