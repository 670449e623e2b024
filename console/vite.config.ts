import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
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

/**
 * What sets the theme before the first paint holds the page back, so browsers keep it like every other asset: under a name that
 * changes with its content. Pages that the service renders itself name it by its plain path.
 */
function keptTheme(): Plugin {
  const source = readFileSync(new URL('public/theme.js', import.meta.url), 'utf8')
  const path = `assets/theme-${createHash('sha256').update(source).digest('hex').slice(0, 8)}.js`
  return {
    name: 'kept-theme',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: path, source })
    },
    transformIndexHtml: (page) => page.replace('src="/theme.js"', `src="/${path}"`),
  }
}

/** Small parts that many pages use. Editor, graph, charts and long logs come with the pages that need them. */
const parts = /lucide-react|console\/src\/ui\/(?!code-|diff-view|log-view|stacked-bars)/

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [slimContract(), scriptApi(), guide(), keptTheme(), react(), tailwindcss()],
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
        // A first visit fetches three scripts, not one per icon: what every page needs, the parts that pages are made of, and the page.
        codeSplitting: {
          groups: [
            // The stylesheet of the pages that the service renders itself is an entry too, and stays one.
            { name: 'frame', tags: ['$initial'], test: (id) => !id.includes('public.css') },
            { name: 'parts', test: parts },
          ],
        },
        // The pages that the service renders itself name their stylesheet, so it keeps its name.
        assetFileNames: (asset) =>
          asset.names.includes('public.css') ? '[name][extname]' : 'assets/[name]-[hash][extname]',
      },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/openapi.json': 'http://127.0.0.1:8080' } },
})
