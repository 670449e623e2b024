/** Counts the last number of the newest version on, past what is taken: 1 -> 2, 1.9 -> 1.10, beta -> beta.1. */
export function nextVersion(newestFirst: readonly string[]): string {
  let version = newestFirst[0]
  if (version === undefined) return '1'
  do version = countOn(version)
  while (newestFirst.includes(version))
  return version
}

function countOn(version: string): string {
  const found = /^(.*?)(\d+)(\D*)$/s.exec(version)
  if (!found) return `${version}.1`
  const [, before = '', number = '0', after = ''] = found
  return `${before}${BigInt(number) + 1n}${after}`
}
