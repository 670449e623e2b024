const nameCharactersMax = 255

/** A name that can be shown, mailed and saved: no path, no control or direction characters, nothing that is no name. */
export function cleanFileName(given: string): string {
  const name = (given.split(/[/\\]/).at(-1) ?? '')
    .toWellFormed()
    // Direction marks make "gpj.exe" look like "exe.jpg".
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '_')
    .trim()
  if (/^\.*$/.test(name)) return 'file'
  if (name.length <= nameCharactersMax) return name
  const extension = /\.[^.]{1,20}$/.exec(name)?.[0] ?? ''
  return name.slice(0, nameCharactersMax - extension.length).toWellFormed() + extension
}
