// A thread that asks on behalf of a test, so that only the service computes in the thread that is measured.
import { once } from 'node:events'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'

const port = parentPort as MessagePort
const { url, init } = workerData as { url: string; init: RequestInit }
port.postMessage('ready')
await once(port, 'message')
const response = await fetch(url, init)
let bytes = 0
for await (const chunk of response.body as ReadableStream<Uint8Array>) bytes += chunk.length
port.postMessage({ status: response.status, bytes })
port.close()
