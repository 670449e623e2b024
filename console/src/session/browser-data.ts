// Customers' data that a page keeps in this browser, pins for example. It goes when the person signs out.
const prefix = 'patchbay.data.'

export function readBrowserData(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(prefix + name) ?? 'null')
  } catch {
    return null
  }
}

/** False when the browser has no room, or keeps nothing. Undefined removes what is there. */
export function writeBrowserData(name: string, value: unknown): boolean {
  try {
    if (value === undefined) localStorage.removeItem(prefix + name)
    else localStorage.setItem(prefix + name, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

export function forgetBrowserData(): void {
  for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) localStorage.removeItem(name)
}
