import type { Application, BlockTemplate, Catalog, CatalogFile, LibraryFunction } from './definition.ts'
import { writeYaml } from './write-yaml.ts'

type Exported = Pick<Catalog, 'applications' | 'blockTemplates' | 'workflowTemplates' | 'functions'>

/** The files from which the same items can be imported again. Paths are made from names, so they do not depend on where an item came from. */
export function exportCatalogFiles(catalog: Exported): CatalogFile[] {
  const taken = new Set<string>()
  const place = (folder: string, name: string, id: string) => {
    const slug = slugOf(name)
    const path = taken.has(`${folder}/${slug}`) ? `${folder}/${slug}-${id.slice(0, 8)}` : `${folder}/${slug}`
    taken.add(path)
    return path
  }
  return [
    ...catalog.applications.flatMap((item) => exportApplication(item)),
    ...catalog.blockTemplates.flatMap((item) => {
      const folder = item.application ? `applications/${item.application.toLowerCase()}/blocks` : 'blocks'
      return exportBlock(item, place(folder, item.name, item.id))
    }),
    ...catalog.workflowTemplates.map(({ file: _file, pinned: _pinned, ...item }) => ({
      path: `${place('workflows', item.name, item.id)}.yaml`,
      content: writeYaml(item),
    })),
    ...catalog.functions.map((item) => exportFunction(item, place('functions', item.name, item.id))),
  ]
}

function exportApplication({ file: _file, credentialEpoch: _epoch, logoImage, ...item }: Application): CatalogFile[] {
  const folder = `applications/${item.shortName.toLowerCase()}`
  if (!logoImage) return [{ path: `${folder}/application.yaml`, content: writeYaml({ ...item, logo: undefined }) }]
  const isSvg = logoImage.mediaType === 'image/svg+xml'
  const logo = item.logo ?? (isSvg ? 'logo.svg' : 'logo.png')
  return [
    { path: `${folder}/application.yaml`, content: writeYaml(isSvg && logo === 'logo.svg' ? item : { ...item, logo }) },
    isSvg
      ? { path: `${folder}/${logo}`, content: Buffer.from(logoImage.base64, 'base64').toString('utf8') }
      : { path: `${folder}/${logo}`, content: logoImage.base64, encoding: 'base64' },
  ]
}

function exportBlock({ file: _, script, ...item }: BlockTemplate, path: string): CatalogFile[] {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return [
    { path: `${path}.yaml`, content: writeYaml({ ...item, script: `${name}.js` }) },
    { path: `${path}.js`, content: script },
  ]
}

function exportFunction({ file: _, script, ...head }: LibraryFunction, path: string): CatalogFile {
  return { path: `${path}.js`, content: `/*---\n${writeYaml(head)}---*/\n${script}` }
}

export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')
  const slug = plain.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
  return slug === '' ? 'item' : slug.slice(0, 60).toLowerCase()
}
