// A project comes from a repository that others write to as well. A symbolic link in it may lead anywhere: pulling would overwrite or
// delete files outside the project, and pushing would send them to the service. So nothing below a project is read or written through one.
import { lstatSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { Failure } from '../failure.ts'

/** Looks at every step from the root, which may be a link itself, down to the path. Steps that do not exist are none. */
export function refuseLinks(root: string, path: string): void {
  let place = root
  for (const step of relative(root, path).split(sep).filter(Boolean)) {
    place = join(place, step)
    const found = lstatSync(place, { throwIfNoEntry: false })
    if (!found) return
    if (found.isSymbolicLink()) {
      throw new Failure(`${place} is a symbolic link. Links in a project are not followed: replace it by a copy.`)
    }
  }
}

/** Where the project of a path begins: in the current folder, or at the path itself when somebody names one elsewhere. */
export function projectOf(cwd: string, path: string): string {
  const steps = relative(cwd, path)
  return steps === '..' || steps.startsWith(`..${sep}`) || isAbsolute(steps) ? path : cwd
}
