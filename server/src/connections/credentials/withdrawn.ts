/** What is told of a connection whose application moved on. */
export function mustBeGivenAgain(shortName: string): string {
  return `The application ${shortName} was changed and would now send these credentials elsewhere or in another way. Enter them again to continue.`
}
