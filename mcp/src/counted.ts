/** Such as: 1 run, 2 runs. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}
