/** One step further on the way to a value: `.name`, `["odd name"]` or `[0]`. */
export function stepText(name: string, isIndex: boolean): string {
  if (isIndex) return `[${name}]`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}
