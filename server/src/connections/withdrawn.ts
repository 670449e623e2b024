/** What is told of a connection whose application moved on. */
export function mustBeGivenAgain(shortName: string): string {
  return `The application ${shortName} was changed and would send these credentials to another address or in another way. Enter them again to go on.`
}
