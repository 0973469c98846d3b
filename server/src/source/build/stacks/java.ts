import { type Choices, type Found, found } from '../detection.ts'
import { cmd, copy, env, lines, openPort, plainPath, run, workdir } from '../dockerfile.ts'
import type { Look } from '../look.ts'

const DEFAULT = 21
const KNOWN = [25, 21, 17, 11]
const PORT = 8080

/** Maven or Gradle, through the source's own wrapper where it has one; one jar that starts. */
export async function detectJava(look: Look): Promise<Found | null> {
  const file = look.first('pom.xml', 'build.gradle', 'build.gradle.kts')
  const text = file === undefined ? null : await look.text(file)
  if (file === undefined || text === null) return null
  const maven = file === 'pom.xml'
  const framework = frameworkOf(text)
  const version = versionOf(text)
  const wrapper = maven
    ? look.has('mvnw') && look.hasFolder('.mvn')
    : look.has('gradlew') && look.has('gradle/wrapper/gradle-wrapper.jar')
  const modules = maven ? /<modules>/.test(text) : /^\s*include\b/m.test((await look.text('settings.gradle')) ?? '')
  const build = maven
    ? `${wrapper ? 'sh mvnw' : 'mvn'} --batch-mode -DskipTests package`
    : `${wrapper ? 'sh gradlew' : 'gradle'} --no-daemon ${framework === 'spring-boot' ? 'bootJar' : 'build -x test'}`
  const kotlin = /kotlin/.test(text)
  const app = { maven, version, build, framework, output: maven ? 'target' : 'build/libs' }
  return found({
    strategy: 'server',
    language: kotlin ? 'kotlin' : 'java',
    framework,
    packageManager: maven ? 'maven' : 'gradle',
    buildCommand: build,
    startCommand: 'java -jar /app/app.jar',
    outputDirectory: app.output,
    port: PORT,
    because: [
      `the source has ${file}`,
      ...(framework === null ? [] : [`it builds on ${framework}`]),
      ...(wrapper ? [`its own ${maven ? 'mvnw' : 'gradlew'} builds it`] : []),
    ],
    warnings: [
      ...(modules ? ['It has several modules; name the one to deploy with rootDirectory, or add a Dockerfile.'] : []),
      ...(framework === null ? ['The jar must name its main class, or nothing starts.'] : []),
    ],
    confidence: modules ? 'low' : framework === null ? 'medium' : 'high',
    recipe: (choices) => javaDockerfile(app, choices),
  })
}

function frameworkOf(text: string): string | null {
  if (/spring-boot|org\.springframework\.boot/.test(text)) return 'spring-boot'
  if (/io\.quarkus/.test(text)) return 'quarkus'
  return /io\.micronaut/.test(text) ? 'micronaut' : null
}

function versionOf(text: string): number {
  const said =
    /<(?:java\.version|maven\.compiler\.(?:release|source|target)|release)>\s*(?:1\.)?(\d+)\s*</.exec(text)?.[1] ??
    /(?:JavaLanguageVersion\.of\(|sourceCompatibility\s*=\s*(?:JavaVersion\.VERSION_|['"]?))(\d+)/.exec(text)?.[1]
  const wanted = Number(said ?? DEFAULT)
  // The oldest image that can run it.
  return KNOWN.toReversed().find((one) => one >= wanted && one >= 17) ?? DEFAULT
}

type JavaApp = { maven: boolean; version: number; build: string; framework: string | null; output: string }

function javaDockerfile({ maven, version, build, framework, output: own }: JavaApp, choices: Choices): string {
  const { secrets } = choices
  const port = choices.port ?? PORT
  const output = plainPath(choices.outputDirectory ?? own)
  const caches = [maven ? { id: 'maven', target: '/cache/maven' } : { id: 'gradle', target: '/cache/gradle' }]
  const quarkus = framework === 'quarkus' && maven
  return lines(
    maven ? `FROM maven:3-eclipse-temurin-${version} AS build` : `FROM gradle:8-jdk${version} AS build`,
    'USER root',
    workdir('/src'),
    maven ? env({ MAVEN_ARGS: '-Dmaven.repo.local=/cache/maven' }) : env({ GRADLE_USER_HOME: '/cache/gradle' }),
    'COPY . .',
    choices.installCommand !== undefined && run(choices.installCommand, { caches, secrets }),
    run(choices.buildCommand ?? build, { caches, secrets }),
    // Beside the program there may be its sources, its documentation and a copy without dependencies.
    !quarkus &&
      run(
        `mkdir -p /out && find '${output}' -maxdepth 1 -name '*.jar' ! -name '*-plain.jar' ! -name '*-sources.jar' ! -name '*-javadoc.jar' ! -name 'original-*.jar' -exec cp {} /out/app.jar ';' && test -f /out/app.jar`,
      ),
    quarkus && run(`mkdir -p /out && cp -r '${output}/quarkus-app/.' /out/ && mv /out/quarkus-run.jar /out/app.jar`),
    '',
    `FROM eclipse-temurin:${version}-jre`,
    workdir('/app'),
    env({
      PORT: port,
      SERVER_PORT: port,
      ...(quarkus && { QUARKUS_HTTP_PORT: port, QUARKUS_HTTP_HOST: '0.0.0.0' }),
      JAVA_TOOL_OPTIONS: '-XX:MaxRAMPercentage=75',
    }),
    copy(['/out/'], './', { from: 'build', chown: '1000:1000' }),
    'USER 1000',
    `EXPOSE ${port}`,
    openPort(port),
    cmd(choices.startCommand ?? 'java -jar /app/app.jar'),
  )
}
