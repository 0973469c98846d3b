/** As registries and engines read it: `name`, `name:tag`, `host:port/path/name@sha256:…`. Nothing else can be looked up. */
export const IMAGE_REFERENCE =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/

export const IMAGE_WORDS = 'must be the name of an image, such as nginx:1.29 or registry.example.com/team/app:2'
