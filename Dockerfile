# All that the image holds comes from this one base, Debian 13 with Node. What the tag stands for changes with Debian's
# repairs; a build that has to be the same for ever adds the digest, node:24.21.0-trixie-slim@sha256:…, which
# `docker buildx imagetools inspect node:24.21.0-trixie-slim` prints.
ARG BASE=docker.io/library/node:24.21.0-trixie-slim

FROM ${BASE} AS build
WORKDIR /opt/certificate-webhooks
COPY package.json package-lock.json ./
# `npm sbom --omit=dev` would also omit what development and production share (npm/cli#7909).
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && npm pkg delete devDependencies \
 && npm sbom --sbom-format=cyclonedx --sbom-type=application > sbom.cdx.json
# Node, the libraries that it and native parts of packages load, and the files that tell scanners their origin.
RUN mkdir -p /image/etc /image/var/lib/dpkg/status.d \
 && natives=$(find node_modules -name '*.node') \
 && libraries=$(ldd /usr/local/bin/node $natives | grep -o '/[^ ]*\.so[.0-9]*' | sort -u) \
 && cp -pL --parents /usr/local/bin/node $libraries /etc/os-release /image \
 && for package in libc6 libgcc-s1 libstdc++6; do \
      dpkg-query --status "$package" > "/image/var/lib/dpkg/status.d/$package" || exit; \
      cp -pL --parents "/usr/share/doc/$package/copyright" /image || exit; \
    done \
 && echo 'certificate-webhooks:x:65532:65532::/:' > /image/etc/passwd \
 && echo 'certificate-webhooks:x:65532:' > /image/etc/group \
 && echo 'hosts: files dns' > /image/etc/nsswitch.conf \
 && mkdir -m 1777 /image/tmp
COPY src src
# A checkout may be readable by its owner alone, or writable by everybody.
RUN chmod -R u=rwX,go=rX .

# Nothing but that: no shell, no package manager.
FROM scratch
COPY --from=build /image /
WORKDIR /opt/certificate-webhooks
COPY --from=build /opt/certificate-webhooks/node_modules node_modules
COPY --from=build /opt/certificate-webhooks/package.json /opt/certificate-webhooks/sbom.cdx.json ./
COPY --from=build /opt/certificate-webhooks/src src

# Numeric, so that Kubernetes can tell that it is not root.
USER 65532:65532
ENV NODE_ENV=production
EXPOSE 8080
# Node is process 1 and gets SIGTERM itself. Its options stand here, because operators of a cluster set NODE_OPTIONS in each pod.
# The rest of the container's memory is for what lies outside of the heap: buffers, connections, Node itself.
# One thread helps to collect garbage: four would take the processor from the one that works, where there is one for all.
# New objects take 16 MiB, half of what V8 chooses under a limit of 1 GiB. The heap may grow to twice what is in use before
# all garbage is collected, or half of the way to its limit if that is less. Less memory would take more of the processor.
# SIGUSR1 would open a debugger, in which whoever may signal the process could read every credential.
ENTRYPOINT ["/usr/local/bin/node", "--max-old-space-size-percentage=70", "--v8-pool-size=1", "--max-semi-space-size=8", "--heap-growing-percent=100", "--disable-sigusr1", "/opt/certificate-webhooks/src/main.ts"]
CMD ["serve"]

ARG VERSION=unknown
ARG REVISION=unknown
ARG SOURCE=
ARG LICENSES=
LABEL org.opencontainers.image.title="certificate-webhooks" \
      org.opencontainers.image.description="Delivers certificate events from Kafka to subscribers' HTTPS endpoints, at least once" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.licenses="${LICENSES}"
