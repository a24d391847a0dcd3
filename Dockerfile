# One image for web, worker and beat; what a container does is its command.
FROM python:3.12-slim AS built
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /studio
RUN python -m venv /venv
COPY requirements.lock .
RUN /venv/bin/pip install --require-hashes -r requirements.lock

FROM python:3.12-slim
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    STUDIO_DATA=/data STUDIO_STATIC_ROOT=/static
RUN useradd --system --uid 10001 --home-dir /data studio \
    && mkdir /data /static && chown studio /data /static
COPY --from=built /venv /venv
WORKDIR /studio
COPY manage.py LICENSE ./
COPY evals_core evals_core
COPY studio studio
COPY templates templates
COPY static static
USER studio
# The key lives for this one command; containers are given theirs when they start.
RUN SECRET_KEY=only-while-building python manage.py collectstatic --noinput --verbosity 0
EXPOSE 8000
CMD ["granian", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", \
     "--blocking-threads", "8", "--no-ws", "studio.wsgi:application"]
