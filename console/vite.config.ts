import { fileURLToPath } from 'node:url'
import { operations } from '@patchbay/contract'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { guide } from './build/guide.ts'
import { scriptApi } from './build/script-api.ts'

const contractEntry = fileURLToPath(import.meta.resolve('@patchbay/contract'))

/**
 * The client needs of each operation where it is, not what its schemas say: those are a tenth of what a first visit may load.
 * Types still come from the whole contract.
 */
function slimContract(): Plugin {
  const slim = '\0contract'
  const table = Object.fromEntries(
    Object.entries(operations).map(([name, spec]) => [
      name,
      {
        method: spec.method,
        path: spec.path,
        // Whoever sends a request again must know what a repetition would do.
        ...('changesState' in spec ? { changesState: spec.changesState } : {}),
        ...('bodyType' in spec ? { bodyType: spec.bodyType } : {}),
      },
    ]),
  )
  return {
    name: 'slim-contract',
    enforce: 'pre',
    resolveId(source, importer) {
      if (source === '@patchbay/contract' && importer !== slim) return slim
      return undefined
    },
    load(id) {
      if (id !== slim) return undefined
      return `export * from ${JSON.stringify(contractEntry)}\nexport const operations = ${JSON.stringify(table)}`
    },
    transform(_code, id) {
      return /\/contract\/src\/|\/node_modules\/typebox\//.test(id) ? { moduleSideEffects: false } : undefined
    },
  }
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [slimContract(), scriptApi(), guide(), react(), tailwindcss()],
  // The service puts a fresh value in its place with every page; styles that the editor adds carry it.
  html: { cspNonce: 'PATCHBAY_NONCE' },
  build: {
    target: 'es2023',
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    // An inlined asset would be a data: address, which the policy refuses for fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    rollupOptions: {
      input: {
        index: fileURLToPath(new URL('index.html', import.meta.url)),
        public: fileURLToPath(new URL('src/public.css', import.meta.url)),
      },
      output: {
        // The pages that the service renders itself name their stylesheet, so it keeps its name.
        assetFileNames: (asset) =>
          asset.names.includes('public.css') ? '[name][extname]' : 'assets/[name]-[hash][extname]',
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/openapi.json': 'http://127.0.0.1:8080' } },
})
