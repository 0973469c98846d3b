/** Files as they are, served by Caddy as an ordinary user. */
export const staticDockerfile = (root: string): string => `FROM caddy:2-alpine
COPY ${JSON.stringify([`${root === '.' ? '.' : root}/`, '/srv/'])}
USER 1000
EXPOSE 8080
CMD ["caddy", "file-server", "--root", "/srv", "--listen", ":8080"]
`
