import { BaseSequencer, type TestSpecification } from 'vitest/node'
import type { Project } from './projects.ts'

/** What takes longest begins first, and what is short fills the gaps at the end. Within a project Vitest remembers how long each file took. */
const order: readonly Project[] = ['browser', 'proof', 'api', 'unit', 'proof-alone']

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification) => order.indexOf(project.name as Project)
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}
