import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** The numbered examples of the README, as a reader copies them. They build on each other. */
export function readExamples(): string[] {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  return [...readme.matchAll(/^## \d+\. .+?$[\s\S]*?^```js\n([\s\S]*?)^```/gm)].map((match) => match[1] as string)
}

/** What they print on a service whose first account runs them. */
export function printedBy(email: string): unknown {
  return expect.arrayContaining([
    `Signed in as ${email}.`,
    '2',
    'run.ended Ready',
    '1 Ready',
    expect.stringMatching(/^404 .+ \S+$/),
    email,
  ])
}
