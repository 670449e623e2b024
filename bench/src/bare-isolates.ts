// The same script as in the benchmark of runs, in a bare loop: a new realm for each, nothing around it. Prints how many it ran.
import ivm from 'isolated-vm'

const [seconds = '3', script = ''] = process.argv.slice(2)
const realmsPerIsolate = 100
const endAt = performance.now() + Number(seconds) * 1000
let count = 0
while (performance.now() < endAt) {
  const isolate = new ivm.Isolate({ memoryLimit: 128 })
  for (let realm = 0; realm < realmsPerIsolate && performance.now() < endAt; realm++) {
    const context = isolate.createContextSync()
    context.evalClosureSync(`return JSON.stringify((() => {${script}})())`)
    context.release()
    count++
  }
  isolate.dispose()
}
console.log(count)
